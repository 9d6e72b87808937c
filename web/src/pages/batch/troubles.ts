import type { Schema } from '../../api/client';

type RunLine = Schema<'RunLine'>;

/** Runs that came to nothing, or do not count, for the same reason. */
export interface Trouble {
  readonly state: 'failed' | 'invalid';
  readonly reason: string;
  readonly runs: readonly RunLine[];
}

/** What went wrong in a batch, by reason, the most frequent first. */
export function troublesOf(runs: readonly RunLine[]): readonly Trouble[] {
  const found = new Map<string, { state: Trouble['state']; reason: string; runs: RunLine[] }>();
  for (const run of runs) {
    if (run.state !== 'failed' && run.state !== 'invalid') continue;
    const reason = run.reason ?? 'no reason was given';
    const key = `${run.state} ${reason}`;
    const trouble = found.get(key);
    if (trouble) trouble.runs.push(run);
    else found.set(key, { state: run.state, reason, runs: [run] });
  }
  return [...found.values()].sort((a, b) => b.runs.length - a.runs.length);
}

/** What one can do about it. */
export function remedy({ state }: Pick<Trouble, 'state'>): string {
  return state === 'invalid'
    ? 'A live run is invalid if the machine did not keep to its plan; it counts in no number. Try it again while the machine does nothing else.'
    : 'Nothing of it counts. If the reason is gone by now, as a process that was ended or a disk that was full, try again; else change what the reason names and run the experiment anew.';
}
