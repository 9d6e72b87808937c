import { lastAtMost, lowerBound } from '../lib/search';
import type { Viewport } from '../lib/viewport';

/** Where a key leads: to the next thing or to the one before. */
export type Step = 1 | -1;

/** The row of the segment beside `here`, or, with no row there, the first or last in view; `null` if there is none. */
export function nextSegment(t: Float64Array, view: Viewport, here: number, step: Step): number | null {
  const outside = step > 0 ? lowerBound(t, view.t0) - 1 : lastAtMost(t, view.t1) + 1;
  return within(t, (here >= 0 ? here : outside) + step);
}

/** The first of some ascending instants after `at`, or the last before it; `null` if there is none at all. */
export function nextInstant(t: Float64Array, at: number, step: Step): number | null {
  return within(t, step > 0 ? lastAtMost(t, at) + 1 : lowerBound(t, at) - 1);
}

function within(t: Float64Array, i: number): number | null {
  return t.length === 0 ? null : Math.max(0, Math.min(t.length - 1, i));
}
