import { octets, px, type Ns, type Octets } from '../../lib/brand';
import { LinearScale } from '../../lib/scale';
import { shiftView, type Viewport } from '../../lib/viewport';
import { Coords } from '../../paint/coords';
import { LIGHT } from '../../paint/palette';
import type { Box } from '../../paint/surface';
import { traceStyle, type TraceStyle } from '../../paint/traces';
import { clockFor, type Clock } from '../../series/explain';
import type { RunIndex } from '../../series/run-index';
import type { SeriesSource } from '../../series/source';
import type { Drawing } from '../content';
import { fitAll, timeScale, type Frame } from '../frame';

/** One of the runs of a plot. */
export interface Trace {
  readonly source: SeriesSource;
  /** The variant in words. */
  readonly label: string;
  /** The instant of the run at which the axis has its zero. */
  readonly origin: Ns;
}

/** One run in a frame: its data, how it looks, and scales in its own time. */
export interface TraceFrame extends Pick<Frame, 'x' | 'y' | 'coords' | 'view' | 'layout' | 'index'> {
  /** Its place among all runs of the plot, hidden ones included. */
  readonly place: number;
  readonly label: string;
  readonly style: TraceStyle;
  readonly origin: Ns;
  readonly clock: Clock;
  /** The row above the plot with its holds, outages and timeouts. */
  readonly strip: Box;
}

/** All that one drawing of several runs needs. Times are those of the axis, but inside of traces. */
export interface OverlayFrame extends Drawing {
  readonly x: LinearScale<Ns>;
  readonly y: LinearScale<Octets>;
  readonly coords: Coords;
  readonly traces: readonly TraceFrame[];
}

/** The height of a run's row above the plot, CSS pixels. */
export const STRIP_HEIGHT = 15;

const shared = new Coords();

/** Works out the scales of a view. `shown` are the places of the traces that are not hidden. */
export function makeOverlayFrame(
  drawing: Drawing,
  traces: readonly Trace[],
  shown: readonly number[],
): OverlayFrame {
  const { layout, view, palette } = drawing;
  const { plot, events } = layout;
  const runs = shown.map((place) => {
    const { source, origin, label } = traces[place];
    const inRun = shiftView(view, origin);
    return { place, origin, label, view: inRun, index: source.best(inRun) };
  });
  const { lo, hi } = view.y ?? fitOf(runs);
  const y = new LinearScale(lo, hi, px(plot.y + plot.h), px(plot.y));
  return {
    ...drawing,
    x: timeScale(view, layout),
    y,
    coords: shared,
    traces: runs.map((run, row) => ({
      ...run,
      layout,
      y,
      coords: shared,
      x: timeScale(run.view, layout),
      style: traceStyle(run.place, palette === LIGHT ? 'light' : 'dark'),
      clock: clockFor(run.origin, view.t1 - view.t0),
      strip: { x: plot.x, y: events.y + row * STRIP_HEIGHT, w: plot.w, h: STRIP_HEIGHT },
    })),
  };
}

function fitOf(runs: readonly { readonly view: Viewport; readonly index: RunIndex }[]) {
  // A run that ended before the view began, or begins after it, has no say in its heights.
  const seen = runs.filter(({ view, index }) => view.t1 >= 0 && view.t0 <= index.series.duration);
  return runs.length === 0 ? { lo: octets(0), hi: octets(1) } : fitAll(seen.length > 0 ? seen : runs);
}
