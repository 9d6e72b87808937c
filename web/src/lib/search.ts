/** Anything that can be searched by index. */
export interface Column {
  readonly length: number;
  readonly [index: number]: number;
}

/** The first index whose value is at least `value`; the length if there is none. The column ascends. */
export function lowerBound(column: Column, value: number, from = 0, to = column.length): number {
  let lo = from;
  let hi = to;
  while (lo < hi) {
    const middle = (lo + hi) >>> 1;
    if (column[middle] < value) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/** The first index whose value is above `value`; the length if there is none. The column ascends. */
export function upperBound(column: Column, value: number, from = 0, to = column.length): number {
  let lo = from;
  let hi = to;
  while (lo < hi) {
    const middle = (lo + hi) >>> 1;
    if (column[middle] <= value) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/** The last index whose value is at most `value`; -1 if there is none. The column ascends. */
export function lastAtMost(column: Column, value: number): number {
  return upperBound(column, value) - 1;
}

/** `[first, last)` of what a step line needs to be drawn over `[lo, hi]`: one step before and one after included. */
export function stepRange(column: Column, lo: number, hi: number): readonly [number, number] {
  return [Math.max(0, lastAtMost(column, lo)), Math.min(column.length, lowerBound(column, hi) + 1)];
}
