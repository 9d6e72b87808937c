import { px, type Ns, type Octets } from '../lib/brand';
import type { LinearScale } from '../lib/scale';
import { clampView, panBy, zoomAbout, type Bounds, type Viewport } from '../lib/viewport';
import type { Box } from '../paint/surface';

/** What a movement starts from: the view, how far it may go, and where it is drawn. Positions are CSS pixels. */
export interface Standing {
  readonly view: Viewport;
  readonly bounds: Bounds;
  readonly plot: Box;
  readonly y: LinearScale<Octets>;
}

/** The instant at a place. */
export function timeAt(view: Viewport, plot: Box, x: number): Ns {
  return (view.t0 + ((x - plot.x) / plot.w) * (view.t1 - view.t0)) as Ns;
}

/** The view after what is drawn was dragged by so much. */
export function dragged({ view, bounds, plot, y }: Standing, dx: number, dy: number): Viewport {
  return panBy(view, bounds, (-dx * (view.t1 - view.t0)) / plot.w, -dy / y.slope);
}

/** The view zoomed about a place; left of the plot the sequence axis alone. Below one is closer. */
export function zoomedAt(from: Standing, factor: number, x: number, at: number): Viewport {
  const { view, bounds, plot, y } = from;
  const octet = y.fromPx(px(at));
  if (x < plot.x && at < plot.y + plot.h) {
    const { lo, hi } = view.y ?? { lo: y.d0, hi: y.d1 };
    const about = (end: Octets) => (octet + (end - octet) * factor) as Octets;
    return { ...view, y: { lo: about(lo), hi: about(hi) } };
  }
  return zoomAbout(view, bounds, factor, timeAt(view, plot, x), octet);
}

/** The view zoomed about its middle. */
export function zoomedMiddle(view: Viewport, bounds: Bounds, factor: number): Viewport {
  const middle = view.y === null ? null : (((view.y.lo + view.y.hi) / 2) as Octets);
  return zoomAbout(view, bounds, factor, ((view.t0 + view.t1) / 2) as Ns, middle);
}

/** The view of a box; of a band the sequence axis stays as it is. */
export function boxed({ view, bounds, plot, y }: Standing, box: Box, band: boolean): Viewport {
  const heights = band ? view.y : { lo: y.fromPx(px(box.y + box.h)), hi: y.fromPx(px(box.y)) };
  const times = { t0: timeAt(view, plot, box.x), t1: timeAt(view, plot, box.x + box.w) };
  return clampView({ ...times, y: heights }, bounds);
}
