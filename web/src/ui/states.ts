import { groupThousands, plural } from '../lib/format';
import type { RunState } from './state-badge';

/** The states of runs in the order in which bars and words have them: what ended well, what works, what waits, what did not. */
export const RUN_STATES: readonly RunState[] = [
  'done',
  'running',
  'queued',
  'invalid',
  'failed',
  'cancelled',
];

/** How many runs are in which state; a state without runs may be left out. */
export type StateCounts = Readonly<Partial<Record<RunState, number>>>;

/** The states that `retry` takes back into the queue. */
export const RETRIED: readonly RunState[] = ['failed', 'invalid', 'cancelled'];

/** How many runs are in any of these states. */
export function countOf(counts: StateCounts, states: readonly RunState[]): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** `12 of 30 done, 2 running, 16 queued`. */
export function countsInWords(counts: StateCounts, total: number): string {
  if (total === 0) return 'no runs';
  const first = `${groupThousands(counts.done ?? 0)} of ${plural(total, 'run')} done`;
  const others = RUN_STATES.filter((state) => state !== 'done' && (counts[state] ?? 0) > 0).map(
    (state) => `${groupThousands(counts[state] ?? 0)} ${state}`,
  );
  return [first, ...others].join(', ');
}
