import { groupThousands } from '../lib/format';
import { countTicks, decimalsFor, niceStep, niceValues } from '../lib/ticks';

/** Least and greatest of an axis: a little air on both sides, and zero at the left where it is near. */
export function boxDomain(values: readonly number[]): readonly [number, number] {
  const lo = Math.min(...values);
  const hi = Math.max(...values);
  const air = Math.max((hi - lo) * 0.04, Math.abs(hi) * 0.01, 1e-9);
  return [lo >= 0 && lo <= 0.35 * hi ? 0 : lo - air, hi + air];
}

/** Marks of an axis with their text. */
export function boxTicks(lo: number, hi: number, count: number): readonly { value: number; text: string }[] {
  const step = niceStep(hi - lo, count);
  if (step >= 1 && hi >= 10_000)
    return countTicks(lo, hi, count, '').marks.map(({ value }) => ({ value, text: groupThousands(value) }));
  const decimals = decimalsFor(step);
  return niceValues(lo, hi, count).map((value) => ({ value, text: value.toFixed(decimals) }));
}
