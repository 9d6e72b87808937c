import type { Coords } from './coords';

/** Takes one rectangle. */
export type Emit = (x: number, y: number, w: number, h: number) => void;

/**
 * A step line as rectangles: `x y` each, where each height holds until the next point and changes there. Rectangles are
 * filled many times faster than paths are stroked, and what stands on one pixel becomes one of them. Dashes are on
 * level pieces alone.
 */
export function stepRects(coords: Coords, width: number, dash: readonly number[] | null, emit: Emit): void {
  const { values, length } = coords;
  const half = width / 2;
  const period = dash === null ? 0 : dash[0] + dash[1];
  const level = (from: number, to: number, y: number) => {
    // Shorter ones are hidden by the upright pieces at both ends.
    if (to - from <= width) return;
    if (dash === null) emit(from - half, y - half, to - from + width, width);
    else for (let x = from; x < to; x += period) emit(x, y - half, Math.min(dash[0], to - x), width);
  };
  let [x, y] = values;
  let begin = x;
  let [lo, hi] = [y, y];
  const upright = () => {
    if (hi > lo) emit(x - half, lo - half, width, hi - lo + width);
    lo = hi = y;
  };
  for (let i = 2; i < length; i += 2) {
    const [nextX, nextY] = [values[i], values[i + 1]];
    if (nextX !== x) {
      upright();
      x = nextX;
    }
    if (nextY === y) continue;
    level(begin, x, y);
    begin = x;
    y = nextY;
    lo = Math.min(lo, y);
    hi = Math.max(hi, y);
  }
  upright();
  level(begin, x, y);
}

/** The area between a step line and a level, as rectangles side by side that begin and end on multiples of `grain`. */
export function stepAreaRects(coords: Coords, foot: number, grain: number, emit: Emit): void {
  const { values, length } = coords;
  const snap = (x: number) => Math.round(x / grain) * grain;
  let left = snap(values[0]);
  let y = values[1];
  let head = y;
  for (let i = 2; i < length; i += 2) {
    const right = snap(values[i]);
    if (right > left) {
      // Of what stands on one pixel the highest is seen.
      const top = right - left > grain * 1.5 ? y : head;
      if (foot > top) emit(left, top, right - left, foot - top);
      left = right;
      head = y;
    }
    y = values[i + 1];
    head = Math.min(head, y);
  }
}

/** A level or upright line as rectangles. */
export function lineRects(
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  width: number,
  dash: readonly number[] | null,
  emit: Emit,
): void {
  const half = width / 2;
  const upright = x0 === x1;
  const [from, to] = upright ? [Math.min(y0, y1), Math.max(y0, y1)] : [Math.min(x0, x1), Math.max(x0, x1)];
  const piece = (at: number, length: number) => {
    if (upright) emit(x0 - half, at, width, length);
    else emit(at, y0 - half, length, width);
  };
  if (dash === null) piece(from, to - from);
  else for (let at = from; at < to; at += dash[0] + dash[1]) piece(at, Math.min(dash[0], to - at));
}
