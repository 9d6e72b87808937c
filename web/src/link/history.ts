/** States that can be gone back to and forth. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
}

/** How many steps are kept. */
const MOST = 200;

export const begun = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** A step to another state; what was undone before is gone. */
export function step<T>(history: History<T>, present: T): History<T> {
  if (present === history.present) return history;
  return { past: [...history.past, history.present].slice(-MOST), present, future: [] };
}

/** Another state in the place of the present one: a step goes on. */
export const amended = <T>({ past }: History<T>, present: T): History<T> => ({ past, present, future: [] });

export function undo<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  return { past: history.past.slice(0, -1), present: last, future: [history.present, ...history.future] };
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future };
}
