import { Stack } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { madeBy } from '../../lib/made-by';
import { dotsBy, resultsOf } from '../../parts/results';
import type { Resolved } from '../../parts/use-resolved';
import { Distributions } from '../../results/distributions';
import { SaveFigures } from '../../results/save-figures';
import { hasScores, Scorecard } from '../../results/scorecard';
import { Asked } from '../../ui/asked';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import type { Choice } from './choice';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly choice: Choice;
  readonly titles: Resolved;
}

const DOTS = dotsBy((cell, repetition) => `${cell.variant} ${repetition}`);

/** What the runs of the chosen variants measured: distributions and detectors. */
export function Measured({ batch, choice, titles }: Props) {
  const { change } = useAddress();
  const query = api.useQuery('get', '/api/v1/batches/{id}/results', {
    params: { path: { id: batch.id } },
  });
  const { variants, link, testbed } = choice;
  const cells = variants.flatMap(
    (variant) =>
      query.data?.cells.find(
        (cell) => cell.variant === variant && cell.link === link && cell.testbed === testbed,
      ) ?? [],
  );
  // The chosen order, baseline first, is that of the plots.
  const chosen = variants.flatMap((name) => titles.variants.find((one) => one.name === name) ?? []);
  const results = resultsOf(cells, { ...titles, variants: chosen }, batch.repetitions);
  return (
    <Stack gap="xl">
      <Section title="Distributions">
        <Asked query={query} failed="The results could not be read" what="the results">
          {() => cells.length === 0 && <Muted>No run here has ended yet.</Muted>}
        </Asked>
        <Distributions
          results={results}
          metric={choice.metric}
          onMetric={(metric) => change({ metric }, 'push')}
          dotsOf={DOTS}
          onDot={(dot) =>
            change({ repetition: dot.slice(dot.lastIndexOf(' ') + 1), t: null, y: null }, 'push')
          }
          dotInWords="see its repetition above"
          save={{
            by: SaveFigures,
            file: `comparison-${batch.id}`,
            provenance: `${variants.join(', ')} on ${link}, testbed ${testbed}; batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; ${madeBy(batch.engine)}`,
          }}
        />
      </Section>
      {hasScores(results) && (
        <Section title="Detection of spurious timeouts">
          <Scorecard results={results} />
        </Section>
      )}
    </Stack>
  );
}
