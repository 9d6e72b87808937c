import { Stack, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { Empty, Failure, Waiting } from '../../ui/asked';
import { countOf, missingInWords } from '../../ui/states';
import { resultsOf } from '../../parts/results';
import { NOT_KNOWN, useResolved } from '../../parts/use-resolved';
import { Measured } from './measured';
import { useResults } from './use-results';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly runs: readonly Schema<'RunLine'>[] | null;
}

/** What the runs of a batch measured so far: summary, detectors, distributions. */
export function Results({ batch, runs }: Props) {
  const results = useResults(batch.id);
  const resolved = useResolved(batch.id);
  if (results.isPending || resolved.isPending) return <Waiting what="the results" rows={6} />;
  if (results.data === undefined)
    return (
      <Failure
        title="The results could not be read"
        error={results.error}
        onRetry={() => void results.refetch()}
      />
    );
  const cells = results.data.cells.filter(({ runs: count, invalid }) => count > 0 || (invalid ?? 0) > 0);
  const { incomplete } = results.data;
  // The numbers of the last runs come a moment after the runs.
  if (cells.length === 0 && countOf(batch.runs, ['done', 'invalid']) > 0)
    return <Waiting what="the results" rows={6} />;
  if (cells.length === 0)
    return batch.state === 'ended' ? (
      <Empty title="No results">
        No run of this batch finished. Try failed and cancelled runs again, or run the experiment again.
      </Empty>
    ) : (
      <Empty title="No results yet">They appear as runs end; the page updates by itself.</Empty>
    );
  return (
    <Stack gap="xl">
      {incomplete && (
        <Text size="sm" role="status">
          So far {plural(incomplete.finished, 'run')} of {incomplete.planned}:{' '}
          {batch.state === 'ended'
            ? `${missingInWords(batch.runs)}.`
            : 'the numbers change as more runs end.'}
        </Text>
      )}
      <Measured
        batch={batch}
        results={resultsOf(cells, resolved.data ?? NOT_KNOWN, batch.repetitions)}
        runs={runs}
      />
    </Stack>
  );
}
