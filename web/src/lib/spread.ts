import type { Schema } from '../contract/types';

/** A metric over the repetitions of a cell; docs/results.md says how quartiles are taken. */
export type Spread = Schema<'Summary'>;

/** Quartiles, extremes and mean in a sentence. */
export function spreadInWords(spread: Spread, say: (value: number) => string): string {
  return [
    `median ${say(spread.median)} of ${spread.values.length} ${spread.values.length === 1 ? 'run' : 'runs'}`,
    `quartiles ${say(spread.q1)} to ${say(spread.q3)}`,
    `range ${say(spread.min)} to ${say(spread.max)}`,
    `mean ${say(spread.mean)}`,
  ].join('; ');
}

/** The quantile `q` of some values, as the quartiles are: linear between the two nearest in order. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = q * (sorted.length - 1);
  const [below, above] = [Math.floor(place), Math.ceil(place)];
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
