import type { Column } from './search';

/** Values that one block of a level sums up. */
const FAN = 16;

/**
 * Least and greatest value over any range of a column in logarithmic time, so that a step line of a million points
 * costs as much to draw as the plot has pixel columns. Costs an eighth of the column's memory.
 */
export class MinMaxPyramid {
  readonly #base: Column;
  readonly #mins: Float64Array[] = [];
  readonly #maxs: Float64Array[] = [];

  constructor(base: Column) {
    this.#base = base;
    let lows: Column = base;
    let highs: Column = base;
    while (lows.length > FAN) {
      const blocks = Math.ceil(lows.length / FAN);
      const mins = new Float64Array(blocks);
      const maxs = new Float64Array(blocks);
      for (let block = 0; block < blocks; block++) {
        let lo = Infinity;
        let hi = -Infinity;
        const end = Math.min(lows.length, (block + 1) * FAN);
        for (let i = block * FAN; i < end; i++) {
          if (lows[i] < lo) lo = lows[i];
          if (highs[i] > hi) hi = highs[i];
        }
        mins[block] = lo;
        maxs[block] = hi;
      }
      this.#mins.push(mins);
      this.#maxs.push(maxs);
      lows = mins;
      highs = maxs;
    }
  }

  /** The least value at `[from, to)`; infinity if that is empty. */
  min(from: number, to: number): number {
    return this.#fold(from, to, this.#mins, Math.min, Infinity);
  }

  /** The greatest value at `[from, to)`; minus infinity if that is empty. */
  max(from: number, to: number): number {
    return this.#fold(from, to, this.#maxs, Math.max, -Infinity);
  }

  #fold(
    from: number,
    to: number,
    levels: readonly Float64Array[],
    pick: (a: number, b: number) => number,
    empty: number,
  ): number {
    let result = empty;
    let lo = Math.max(0, from);
    let hi = Math.min(this.#base.length, to);
    let values: Column = this.#base;
    // Takes the ragged ends at each level and leaves whole blocks to the next one.
    for (let level = 0; lo < hi; level++) {
      const last = level >= levels.length;
      while (lo < hi && (last || lo % FAN !== 0)) result = pick(result, values[lo++]);
      while (lo < hi && hi % FAN !== 0) result = pick(result, values[--hi]);
      if (last) break;
      lo = lo / FAN;
      hi = hi / FAN;
      values = levels[level];
    }
    return result;
  }
}
