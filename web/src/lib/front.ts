/** What a search has tried, and which of it was worse than all before. */
export interface Front {
  /** Numbers of the links that were tried, and the value of each, in order. */
  readonly trials: readonly number[];
  readonly values: readonly number[];
  /** The worst so far at each of them. */
  readonly worst: readonly number[];
  /** Whether values are so far apart that their logarithms are drawn. */
  readonly wide: boolean;
}

/** Positive numbers further apart than by this factor are drawn by their logarithm, as in the picture of a search. */
const WIDE = 20;

/** The worst so far over the links in the order in which they were tried. */
export function frontOf(trials: readonly number[], values: readonly number[], higherIsWorse: boolean): Front {
  let so = higherIsWorse ? -Infinity : Infinity;
  const worst = values.map((value) => (so = higherIsWorse ? Math.max(so, value) : Math.min(so, value)));
  const [least, greatest] = ends(values);
  return { trials, values, worst, wide: values.length > 0 && least > 0 && greatest / least > WIDE };
}

/** The least and the greatest, without an argument for each of a hundred thousand. */
function ends(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([least, greatest], value) => [Math.min(least, value), Math.max(greatest, value)],
    [Infinity, -Infinity],
  );
}
