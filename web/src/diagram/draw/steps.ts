import type { LinearScale } from '../../lib/scale';
import { lowerBound, stepRange } from '../../lib/search';
import type { Coords } from '../../paint/coords';
import type { Frame } from '../frame';

/** Above this many steps per pixel column a step line is summed up by column. */
const STEPS_PER_COLUMN = 3;

/**
 * Fills the frame's buffer with a step line over the visible time: each value holds until the next one, the last one
 * until `end`. Values below zero mean "none yet" and are left out. Where steps are denser than pixels, each pixel
 * column gets its first, least, greatest and last value, found by the column's pyramid.
 */
export function traceSteps<D extends number>(
  frame: Frame,
  times: Float64Array,
  values: Float64Array,
  y: LinearScale<D>,
  end: number,
): Coords {
  const { x, coords, view, layout } = frame;
  coords.clear();
  const range = stepRange(times, view.t0, view.t1);
  const to = range[1];
  let from = range[0];
  while (from < to && values[from] < 0) from++;
  if (from >= to) return coords;
  const columns = Math.ceil(layout.plot.w);
  if (to - from > STEPS_PER_COLUMN * columns) {
    traceColumns(frame, times, values, y, from, to, columns);
  } else {
    for (let i = from; i < to; i++) {
      const at = x.toPx(times[i] as never);
      const height = y.toPx(values[i] as D);
      if (i > from) coords.push2(at, coords.values[coords.length - 1]);
      coords.push2(at, height);
    }
  }
  const last = Math.min(x.toPx(end as never), x.r1 + 2);
  const tail = coords.values[coords.length - 1];
  if (to === times.length && last > coords.values[coords.length - 2]) coords.push2(last, tail);
  return coords;
}

function traceColumns<D extends number>(
  frame: Frame,
  times: Float64Array,
  values: Float64Array,
  y: LinearScale<D>,
  from: number,
  to: number,
  columns: number,
): void {
  const { x, coords, index } = frame;
  const pyramid = index.pyramid(values);
  let start = from;
  for (let column = 0; column < columns && start < to; column++) {
    const until = x.fromPx((x.r0 + column + 1) as never);
    const stop = Math.min(to, lowerBound(times, until, start, to));
    if (stop <= start) continue;
    const at = x.r0 + column + 0.5;
    coords.push2(at, y.toPx(values[start] as D));
    coords.push2(at, y.toPx(Math.max(0, pyramid.min(start, stop)) as D));
    coords.push2(at, y.toPx(pyramid.max(start, stop) as D));
    coords.push2(at, y.toPx(values[stop - 1] as D));
    start = stop;
  }
}

/** Closes a traced step line down to a level, so that it can be filled. */
export function closeToLevel(coords: Coords, level: number): Coords {
  if (coords.length < 2) return coords;
  const first = coords.values[0];
  coords.push2(coords.values[coords.length - 2], level);
  coords.push2(first, level);
  return coords;
}
