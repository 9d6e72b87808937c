import { ns, octets } from './brand';
import type { Viewport } from './viewport';

/** A view as an address holds it. */
export interface ViewText {
  /** `FROM_TO` in seconds. */
  readonly t: string;
  /** `LOW_HIGH` in octets; `null` where the sequence axis is fitted. */
  readonly y: string | null;
}

/** Writes a view, exact to the nanosecond and the octet. */
export function viewToText(view: Viewport): ViewText {
  const seconds = (t: number) => String(Math.round(t) / 1e9);
  const y = view.y === null ? null : `${Math.round(view.y.lo)}_${Math.round(view.y.hi)}`;
  return { t: `${seconds(view.t0)}_${seconds(view.t1)}`, y };
}

/** Reads a view; `null` if there is none, or if what stands there is no view: an address that someone broke shows all. */
export function viewFromText(t: string | null, y: string | null): Viewport | null {
  const times = range(t);
  if (times === null) return null;
  const heights = range(y);
  return {
    t0: ns(Math.round(times[0] * 1e9)),
    t1: ns(Math.round(times[1] * 1e9)),
    y: heights && { lo: octets(heights[0]), hi: octets(heights[1]) },
  };
}

function range(text: string | null): readonly [number, number] | null {
  const parts = text === null ? [] : text.split('_');
  if (parts.length !== 2 || parts.some((part) => part.trim() === '')) return null;
  const [lo, hi] = parts.map(Number);
  return Number.isFinite(lo) && Number.isFinite(hi) && lo < hi ? [lo, hi] : null;
}
