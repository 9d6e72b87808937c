import type { Schema } from '../../api/client';
import { endsTheSame } from '../../ui/time-limit';

type RunLine = Schema<'RunLine'>;
type Bad = 'failed' | 'invalid';

/** Runs that came to nothing, or do not count, for the same reason, whatever the numbers in it. */
export interface Trouble {
  readonly state: Bad;
  /** Of the first of them. */
  readonly reason: string;
  /** Whether the others have the same numbers in theirs. */
  readonly exact: boolean;
  readonly runs: readonly RunLine[];
}

/** What went wrong in a batch, by reason, the most frequent first. */
export function troublesOf(runs: readonly RunLine[]): readonly Trouble[] {
  const found = new Map<string, { state: Bad; reason: string; exact: boolean; runs: RunLine[] }>();
  for (const run of runs) {
    if (run.state !== 'failed' && run.state !== 'invalid') continue;
    const reason = run.reason ?? 'no reason was given';
    // A live run's reasons are many and measured: `released late by 4563 us` is the same trouble as `by 3953 us`.
    const key = `${run.state} ${reason.replaceAll(/\d+(\.\d+)?/g, '#')}`;
    const trouble = found.get(key);
    if (trouble) {
      trouble.runs.push(run);
      trouble.exact &&= trouble.reason === reason;
    } else found.set(key, { state: run.state, reason, exact: true, runs: [run] });
  }
  return [...found.values()].sort((a, b) => b.runs.length - a.runs.length);
}

/** What one can do about runs of a state. */
export function remedy(state: Bad, runs: readonly RunLine[]): string {
  if (state === 'failed' && runs.every(endsTheSame))
    return 'A simulated run is the same every time, so trying again does not help. Raise time_limit in the experiment, or transfer less, and run it again.';
  return state === 'invalid'
    ? 'A live run is invalid if the link deviated too far from its plan; results exclude it. Try it again while the machine is otherwise idle.'
    : 'Results exclude failed runs. If the cause has passed, such as a killed process or a full disk, try again; otherwise correct the cause and run the experiment again.';
}
