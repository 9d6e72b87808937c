/** A metric over the repetitions of a cell; docs/results.md says how quartiles are taken. */
export interface Spread {
  readonly median: number;
  readonly mean: number;
  readonly q1: number;
  readonly q3: number;
  readonly min: number;
  readonly max: number;
  readonly values: readonly number[];
  /** Which repetitions they are of, where not all count. */
  readonly repetitions?: readonly number[] | null | undefined;
}

/** Quartiles, extremes and mean in a sentence. */
export function spreadInWords(spread: Spread, say: (value: number) => string): string {
  return [
    `median ${say(spread.median)} of ${spread.values.length} ${spread.values.length === 1 ? 'run' : 'runs'}`,
    `quartiles ${say(spread.q1)} to ${say(spread.q3)}`,
    `range ${say(spread.min)} to ${say(spread.max)}`,
    `mean ${say(spread.mean)}`,
  ].join('; ');
}
