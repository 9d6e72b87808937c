import type { LinearScale } from '../../lib/scale';
import { lowerBound, stepRange } from '../../lib/search';
import type { Coords } from '../../paint/coords';
import type { Frame } from '../frame';

/** What of a frame a step line needs. */
export type StepFrame = Pick<Frame, 'x' | 'coords' | 'view' | 'layout' | 'index'>;

/** Above this many steps per pixel column a step line is summed up by column. */
const STEPS_PER_COLUMN = 1;

/**
 * Fills the frame's buffer with the points of a step line over the visible time: each value holds until the next one,
 * the last one until `end`. Values below zero mean "none yet" and are left out. Where steps are denser than pixels, each pixel
 * column gets its first, least, greatest and last value, found by the column's pyramid.
 */
export function traceSteps<D extends number>(
  frame: StepFrame,
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
    for (let i = from; i < to; i++) coords.push2(x.toPx(times[i] as never), y.toPx(values[i] as D));
  }
  const last = Math.min(x.toPx(end as never), x.r1 + 2);
  const tail = coords.values[coords.length - 1];
  if (to === times.length && last > coords.values[coords.length - 2]) coords.push2(last, tail);
  keepNear(frame, coords, y);
  return coords;
}

/** How far beyond its box a line goes on, CSS pixels: so far that neither its ends nor its width are seen. */
const BEYOND = 8;

/** Brings what is far outside of the box to its edge: a line goes on there as it would, and costs nothing. */
function keepNear<D extends number>({ x }: StepFrame, { values, length }: Coords, y: LinearScale<D>): void {
  const [left, right] = [x.r0 - BEYOND, x.r1 + BEYOND];
  const [top, bottom] = [Math.min(y.r0, y.r1) - BEYOND, Math.max(y.r0, y.r1) + BEYOND];
  for (let i = 0; i < length; i += 2) {
    values[i] = Math.max(left, Math.min(right, values[i]));
    values[i + 1] = Math.max(top, Math.min(bottom, values[i + 1]));
  }
}

function traceColumns<D extends number>(
  frame: StepFrame,
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
