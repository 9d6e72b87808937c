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
