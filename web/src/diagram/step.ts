import { lastAtMost, lowerBound } from '../lib/search';

/** Where a key leads: to the next thing or to the one before. */
export type Step = 1 | -1;

/** A stretch of time on show. */
interface Shown {
  readonly t0: number;
  readonly t1: number;
}

/** The row of the segment beside `here`, or, with no row there, the first or last in view; `null` if there is none. */
export function nextSegment(t: Float64Array, { t0, t1 }: Shown, here: number, step: Step): number | null {
  const outside = step > 0 ? lowerBound(t, t0) - 1 : lastAtMost(t, t1) + 1;
  return within(t, (here >= 0 ? here : outside) + step);
}

/** The first of some ascending instants after `at`, or the last before it; `null` if there is none at all. */
export function nextInstant(t: Float64Array, at: number, step: Step): number | null {
  return within(t, step > 0 ? lastAtMost(t, at) + 1 : lowerBound(t, at) - 1);
}

/** Of several columns of instants the nearest after `at`, or before it: which column, and which row of it. */
export function nearestInstant(
  columns: readonly Float64Array[],
  at: number,
  step: Step,
): { readonly column: number; readonly row: number } | null {
  let best: { readonly column: number; readonly row: number } | null = null;
  const beyond = (t: number) => (step > 0 ? t > at : t < at);
  for (const [column, t] of columns.entries()) {
    const row = nextInstant(t, at, step);
    if (row === null) continue;
    const other = best === null ? null : columns[best.column][best.row];
    // One that is beyond wins over the last one there is, on which a step stays.
    const nearer =
      other === null ||
      (beyond(t[row]) && !beyond(other)) ||
      (beyond(t[row]) === beyond(other) && Math.abs(t[row] - at) < Math.abs(other - at));
    if (nearer) best = { column, row };
  }
  return best;
}

function within(t: Float64Array, i: number): number | null {
  return t.length === 0 ? null : Math.max(0, Math.min(t.length - 1, i));
}
