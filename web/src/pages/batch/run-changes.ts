import type { Schema } from '../../api/client';
import { type Happening, type HowFar, howFar } from '../../api/events';
import { RUN_STATES } from '../../ui/states';

type RunLine = Schema<'RunLine'>;

/** Changes of a whole batch that are not told of its single runs. */
const OF_ALL = new Set(['cancelled', 'retried', 'shortened', 'submitted']);

/** Whether the runs of a batch must be read anew after what happened: it says too little of single ones. */
export function mustReadAnew(runs: readonly RunLine[], happenings: readonly Happening[]): boolean {
  const known = new Set(runs.map((run) => run.id));
  return happenings.some(
    ({ kind, run, data }) =>
      (kind === 'batch' && OF_ALL.has(String(data['change']))) ||
      (kind === 'run' && run !== null && !known.has(run)),
  );
}

/** The runs as they are after what happened, in order. */
export function afterHappenings(
  runs: readonly RunLine[],
  happenings: readonly Happening[],
): readonly RunLine[] {
  const changes = new Map<number, Pick<RunLine, 'state' | 'reason'>>();
  for (const { kind, run, data } of happenings) {
    const state = RUN_STATES.find((one) => one === data['state']);
    if (kind !== 'run' || run === null || state === undefined) continue;
    changes.set(run, { state, reason: typeof data['reason'] === 'string' ? data['reason'] : null });
  }
  return changes.size === 0
    ? runs
    : runs.map((run) => {
        const change = changes.get(run.id);
        return change ? { ...run, ...change } : run;
      });
}

/** How far each live run is after what happened; what does not run any more is left out. */
export function afterProgress(
  before: ReadonlyMap<number, HowFar>,
  happenings: readonly Happening[],
): ReadonlyMap<number, HowFar> {
  const after = new Map(before);
  for (const happening of happenings) {
    const { kind, run } = happening;
    if (run === null) continue;
    if (kind === 'run') after.delete(run);
    const far = howFar(happening);
    if (far !== null) after.set(run, far);
  }
  return after;
}
