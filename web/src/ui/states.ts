import type { Schema } from '../api/client';
import { groupThousands, plural } from '../lib/format';

export type RunState = Schema<'RunLine'>['state'];

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

/**
 * A state in words. A run is called running from when a worker was given it: workers take many at once, and nobody tells
 * which of them is being played.
 */
export function stateInWords(state: string): string {
  return state === 'running' ? 'handed to a worker' : state;
}

/** How many runs are in any of these states. */
export function countOf(counts: StateCounts, states: readonly RunState[]): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** What became of runs without a result: `2 failed, 35 cancelled`. */
export function missingInWords(counts: StateCounts): string {
  return RETRIED.filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => `${groupThousands(counts[state] ?? 0)} ${state}`)
    .join(', ');
}

/** `12 of 30 runs done, 2 handed to a worker, 16 queued`. */
export function countsInWords(counts: StateCounts, total: number): string {
  if (total === 0) return 'no runs';
  const first = `${groupThousands(counts.done ?? 0)} of ${plural(total, 'run')} done`;
  const others = RUN_STATES.filter((state) => state !== 'done' && (counts[state] ?? 0) > 0).map(
    (state) => `${groupThousands(counts[state] ?? 0)} ${stateInWords(state)}`,
  );
  return [first, ...others].join(', ');
}
