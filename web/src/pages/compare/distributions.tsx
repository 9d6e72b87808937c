import { Stack, Text, Title } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import type { BoxRow } from '../../figures/box-plot';
import { madeBy } from '../../lib/made-by';
import { inOrder } from '../../lib/metrics';
import { Boxes } from '../../parts/boxes';
import { Failure } from '../../ui/failure';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import type { Choice } from './choice';
import type { Titles } from './titles';

type Cell = Schema<'CellTold'>;

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly choice: Choice;
  readonly titles: Titles;
}

/** Box plots of one metric of the chosen variants, on one axis. */
export function Distributions({ batch, choice, titles }: Props) {
  const { change } = useAddress();
  const results = api.useQuery('get', '/api/v1/batches/{id}/results', {
    params: { path: { id: batch.id } },
  });
  const cells = choice.variants.flatMap(
    (variant) =>
      results.data?.cells.find(
        (cell) => cell.variant === variant && cell.link === choice.link && cell.testbed === choice.testbed,
      ) ?? [],
  );
  const names = inOrder(cells.flatMap(({ metrics }) => Object.keys(metrics)));
  const name = names.find((one) => one === choice.metric) ?? names.at(0);
  return (
    <Stack component="section" gap="xs" aria-labelledby="distributions">
      <Title order={2} size="h4" id="distributions">
        Distributions
      </Title>
      {results.isPending && <Waiting what="the results" />}
      {results.error && (
        <Failure
          title="The results could not be read"
          error={results.error}
          onRetry={() => {
            void results.refetch();
          }}
        />
      )}
      {results.data && name === undefined && (
        <Text size="sm" c="dimmed">
          No run here has ended yet.
        </Text>
      )}
      {name !== undefined && (
        <Boxes
          names={names}
          name={name}
          onMetric={(metric) => {
            change({ metric }, 'push');
          }}
          rows={cells.map((cell) => rowOf(cell, name, titles))}
          of={{
            file: `comparison-${batch.id}`,
            provenance: `${choice.variants.join(', ')} on ${choice.link}, testbed ${choice.testbed}; batch ${batch.id} of ${batch.experiment}, seed ${batch.seed}; ${madeBy(batch.engine)}`,
          }}
          onDot={(dot) => {
            change({ repetition: dot.slice(dot.lastIndexOf(' ') + 1), t: null, y: null }, 'push');
          }}
          dotInWords="see its repetition above"
        />
      )}
    </Stack>
  );
}

function rowOf(cell: Cell, metric: string, titles: Titles): BoxRow {
  const spread = metric in cell.metrics ? cell.metrics[metric] : null;
  return {
    key: cell.variant,
    name: titles.variant(cell.variant),
    detail: '',
    live: cell.testbed !== 'sim',
    spread,
    without: cell.runs === 0 ? 'no valid run' : 'not measured',
    dots: (spread?.values ?? []).map((value, i) => {
      // Without a list of repetitions every one of them counts.
      const repetition = spread?.repetitions?.at(i) ?? i + 1;
      return { key: `${cell.variant} ${repetition}`, value, repetition };
    }),
    paper: null,
  };
}
