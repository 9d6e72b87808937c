import type { Ns, Octets } from './brand';

/** What part of a run is on show. Immutable. */
export interface Viewport {
  readonly t0: Ns;
  readonly t1: Ns;
  /** The range of the sequence axis; `null` fits it to what the time range shows. */
  readonly y: { readonly lo: Octets; readonly hi: Octets } | null;
}

/** How far a view may go: the run from its start (0, but where the axis has another origin) to its end, with a little air. */
export interface Bounds {
  readonly start: Ns;
  readonly end: Ns;
  /** The narrowest span that can be asked for. */
  readonly narrowest: Ns;
}

/** The share of the run that stands empty before its start and after its end in the full view. */
const AIR = 0.012;

/** Bounds of an axis from `start` to `end`. */
export function boundsOf(end: Ns, start = 0 as Ns): Bounds {
  const span = Math.max(1, end - start);
  return { start, end: (start + span) as Ns, narrowest: Math.min(1e5, span) as Ns };
}

/** The whole run. */
export function fullView({ start, end }: Bounds): Viewport {
  const air = (end - start) * AIR;
  return { t0: (start - air) as Ns, t1: (end + air) as Ns, y: null };
}

/** The same view where time counts from another instant: `by` later. */
export function shiftView(view: Viewport, by: Ns): Viewport {
  return { ...view, t0: (view.t0 + by) as Ns, t1: (view.t1 + by) as Ns };
}

/** Whether this is the whole run, to within a thousandth. */
export function isFull(view: Viewport, bounds: Bounds): boolean {
  const full = fullView(bounds);
  const slack = (bounds.end - bounds.start) / 1000;
  return view.y === null && Math.abs(view.t0 - full.t0) < slack && Math.abs(view.t1 - full.t1) < slack;
}

/** Keeps a view inside the run: first its width, then its place. */
export function clampView(view: Viewport, bounds: Bounds): Viewport {
  const full = fullView(bounds);
  const widest = full.t1 - full.t0;
  const span = Math.min(widest, Math.max(bounds.narrowest, view.t1 - view.t0));
  const middle = (view.t0 + view.t1) / 2;
  const t0 = Math.min(full.t1 - span, Math.max(full.t0, middle - span / 2));
  return { t0: t0 as Ns, t1: (t0 + span) as Ns, y: view.y };
}

/** Zooms by `factor` (below one: closer) about a point that stays where it is on the screen. */
export function zoomAbout(
  view: Viewport,
  bounds: Bounds,
  factor: number,
  about: Ns,
  aboutY: Octets | null = null,
): Viewport {
  const full = fullView(bounds);
  const span = view.t1 - view.t0;
  const wanted = Math.min(full.t1 - full.t0, Math.max(bounds.narrowest, span * factor));
  const f = wanted / span;
  const t0 = about - (about - view.t0) * f;
  const y =
    view.y === null || aboutY === null
      ? view.y
      : {
          lo: (aboutY - (aboutY - view.y.lo) * f) as Octets,
          hi: (aboutY + (view.y.hi - aboutY) * f) as Octets,
        };
  return clampView({ t0: t0 as Ns, t1: (t0 + wanted) as Ns, y }, bounds);
}

/** Moves the view; both amounts in units of the axes. The octets count only where the sequence axis is not fitted. */
export function panBy(view: Viewport, bounds: Bounds, time: number, sequence = 0): Viewport {
  const y =
    view.y === null ? null : { lo: (view.y.lo + sequence) as Octets, hi: (view.y.hi + sequence) as Octets };
  return clampView({ t0: (view.t0 + time) as Ns, t1: (view.t1 + time) as Ns, y }, bounds);
}
