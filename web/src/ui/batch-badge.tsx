import type { Schema } from '../api/client';
import { groupThousands } from '../lib/format';
import { StateBadge } from './state-badge';
import { countOf, RETRIED, type StateCounts } from './states';

/** The state of a batch; of one that has ended also how many of its runs came to nothing. */
export function BatchBadge({ batch }: { readonly batch: Pick<Schema<'BatchTold'>, 'state' | 'runs'> }) {
  const counts: StateCounts = batch.runs;
  if (batch.state !== 'ended' || countOf(counts, RETRIED) === 0) return <StateBadge state={batch.state} />;
  const worst = RETRIED.find((state) => countOf(counts, [state]) > 0) ?? 'failed';
  const words = RETRIED.filter((state) => countOf(counts, [state]) > 0).map(
    (state) => `${groupThousands(countOf(counts, [state]))} ${state}`,
  );
  return <StateBadge state={worst} words={`ended, ${words.join(', ')}`} />;
}
