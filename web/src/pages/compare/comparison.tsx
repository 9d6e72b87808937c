import { Alert, Button, Stack } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { Empty } from '../../ui/empty';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { choiceOf, knownOf } from './choice';
import { Choose } from './choose';
import { Diagrams } from './diagrams';
import { Gate } from './gate-panel';
import { Measured } from './measured';
import { NOT_KNOWN, useResolved } from '../../parts/use-resolved';
import { titleIn } from '../../results/model';
import { Verdicts } from './verdicts';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  readonly runs: readonly Schema<'RunLine'>[];
}

/** The comparison of what the address chooses. */
export function Comparison({ batch, runs }: Props) {
  const { params } = useAddress();
  const titles = useResolved(batch.id).data ?? NOT_KNOWN;
  const known = knownOf(runs);
  const choice = choiceOf(params, known);
  const ended = batch.total - (batch.runs['queued'] ?? 0) - (batch.runs['running'] ?? 0);
  return (
    <Page
      title="Comparison"
      above={[
        { label: 'Runs', to: to.batches },
        { label: batch.title, to: to.batch(batch.id) },
      ]}
      actions={
        ended > 0 && (
          <Button
            component="a"
            href={`/api/v1/batches/${batch.id}/report`}
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<IconFileText size={16} aria-hidden />}
          >
            Report of the batch
          </Button>
        )
      }
    >
      {known.variants.length < 2 ? (
        <Empty
          title="One variant alone"
          action={
            <Button component={Link} to={to.newExperimentFrom(batch.experiment)} mt="sm">
              A new experiment from this one
            </Button>
          }
        >
          This batch has runs of{' '}
          {known.variants.length === 0 ? 'no variant' : titleIn(titles.variants, known.variants[0])}. To
          compare, run an experiment with two or more variants: all meet the same link.
        </Empty>
      ) : (
        <Stack gap="xl">
          {ended < batch.total && (
            <Alert
              variant="light"
              role="status"
              title={`${ended} of ${plural(batch.total, 'run')} have ended`}
            >
              The comparison covers these and updates by itself.
            </Alert>
          )}
          <Choose known={known} choice={choice} titles={titles} />
          <Diagrams batch={batch} runs={runs} choice={choice} titles={titles} />
          <Verdicts batch={batch} runs={runs} choice={choice} titles={titles} />
          <Measured batch={batch} choice={choice} titles={titles} />
          <Gate batch={batch} choice={choice} />
        </Stack>
      )}
    </Page>
  );
}
