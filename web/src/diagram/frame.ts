import { octets, px, type Ns, type Octets } from '../lib/brand';
import { LinearScale } from '../lib/scale';
import { timeTicks, type Ticks } from '../lib/ticks';
import { lastAtMost, lowerBound, stepRange, upperBound } from '../lib/search';
import type { Viewport } from '../lib/viewport';
import { Coords } from '../paint/coords';
import type { Palette } from '../paint/palette';
import type { Surface } from '../paint/surface';
import { clockFor, type Clock } from '../series/explain';
import type { RunIndex } from '../series/run-index';
import type { PartId } from './layers';
import type { Layout } from './layout';
import type { Extent, Origin, SequenceUnit } from './options';

/** All that one drawing of the diagram needs; made anew for each frame, the buffer excepted. Times are the run's. */
export interface Frame {
  readonly surface: Surface;
  readonly index: RunIndex;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly view: Viewport;
  readonly x: LinearScale<Ns>;
  readonly y: LinearScale<Octets>;
  readonly unit: SequenceUnit;
  /** Runs that are compared with this one and share its sequence axis. */
  readonly alongside: readonly RunIndex[];
  readonly shows: (part: PartId) => boolean;
  /** Where the time axis has its zero; the run's start if `null`. */
  readonly origin: Origin | null;
  /** A stretch that is framed. */
  readonly highlight: Extent | null;
  /** How instants are written in explanations. */
  readonly clock: Clock;
  /** Shared by all drawing functions, one batch after the other. */
  readonly coords: Coords;
}

const shared = new Coords();

/** Works out the scales of a view. */
export function makeFrame(parts: Omit<Frame, 'x' | 'y' | 'coords' | 'clock'>): Frame {
  const { layout, view, index, alongside } = parts;
  const { plot } = layout;
  const { lo, hi } = view.y ?? fitAll([index, ...alongside].map((run) => ({ index: run, view })));
  return {
    ...parts,
    clock: clockFor(parts.origin?.t ?? 0, view.t1 - view.t0),
    x: timeScale(view, layout),
    y: new LinearScale(lo, hi, px(plot.y + plot.h), px(plot.y)),
    coords: shared,
  };
}

/** The instants of a view over the width of the plot. */
export function timeScale(view: Viewport, { plot }: Layout): LinearScale<Ns> {
  return new LinearScale(view.t0, view.t1, px(plot.x), px(plot.x + plot.w));
}

/** The marks of the time axis, in the run's time; their labels count from the origin. */
export function timeMarks({ view, origin, layout }: Frame): Ticks {
  const zero = origin?.t ?? 0;
  const { unit, marks } = axisTicks(view.t0 - zero, view.t1 - zero, layout.plot.w);
  return {
    unit,
    marks: marks.map(({ value, label }) => ({ value: value + zero, label })),
  };
}

/** As many marks as suit a time axis of this width, CSS pixels. */
export function axisTicks(from: number, to: number, width: number): Ticks {
  const { unit, marks } = timeTicks(from, to, Math.max(3, Math.round(width / 96)));
  return { unit, marks: marks.map(({ value, label }) => ({ value, label: label.replace('-', '−') })) };
}

/** What the time axis counts: `Time (s)`, `Time from hold 1 (s)`. */
export function timeTitle(origin: { readonly label: string } | null, unit: string): string {
  return origin === null ? `Time (${unit})` : `Time from ${origin.label} (${unit})`;
}

/** The range of octets that a stretch of time is about: what is sent in it and what is acknowledged in it. */
export function fitSequence(index: RunIndex, t0: Ns, t1: Ns): { lo: Octets; hi: Octets } {
  const { data, acks } = index.series;
  const sent = [lowerBound(data.t, t0), upperBound(data.t, t1)] as const;
  const heard = stepRange(acks.t, t0, t1);
  const seq = index.pyramid(data.seq);
  const ack = index.pyramid(acks.ack);
  let lo = Math.min(seq.min(...sent), ack.min(...heard));
  let hi = Math.max(seq.max(...sent) + index.segmentSize, ack.max(...heard));
  // What is still under way when the stretch begins belongs to it as well.
  const before = lastAtMost(data.t, t0);
  if (before >= 0) hi = Math.max(hi, data.seq[before] + data.len[before]);
  if (!Number.isFinite(lo) || !Number.isFinite(hi)) [lo, hi] = [0, index.dataEnd];
  const least = 4 * index.segmentSize;
  if (hi - lo < least) [lo, hi] = [(lo + hi - least) / 2, (lo + hi + least) / 2];
  // The window's edge is shown where it costs little room.
  const edge = index.pyramid(acks.edge).max(...heard);
  if (edge > hi && edge - lo < 1.3 * (hi - lo)) hi = edge;
  const air = 0.04 * (hi - lo);
  return { lo: octets(lo - air), hi: octets(hi + air) };
}

/** The range that suits all of several runs, each in the view of its own time. */
export function fitAll(runs: readonly { readonly index: RunIndex; readonly view: Viewport }[]): {
  lo: Octets;
  hi: Octets;
} {
  const fits = runs.map(({ index, view }) => fitSequence(index, view.t0, view.t1));
  return {
    lo: octets(Math.min(...fits.map((fit) => fit.lo))),
    hi: octets(Math.max(...fits.map((fit) => fit.hi))),
  };
}
