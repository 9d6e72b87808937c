import type { Schema } from '../api/client';
import { StateBadge } from './state-badge';
import { countOf, missingInWords, RETRIED, type StateCounts } from './states';

/** The state of a batch; of one that has ended also how many of its runs came to nothing. */
export function BatchBadge({ batch }: { readonly batch: Pick<Schema<'BatchView'>, 'state' | 'runs'> }) {
  const counts: StateCounts = batch.runs;
  if (batch.state !== 'ended' || countOf(counts, RETRIED) === 0)
    return <StateBadge state={batch.state} words={batch.state} />;
  const worst = RETRIED.find((state) => countOf(counts, [state]) > 0) ?? 'failed';
  return <StateBadge state={worst} words={`ended, ${missingInWords(counts)}`} />;
}
