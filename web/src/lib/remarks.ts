import { remarks } from '../../../controller/windlull/metrics.json';

/** What must not be overlooked in these metrics, in words: `limited by the receive window for 93 % of the time`. */
export function remarksOn(valueOf: (metric: string) => number | undefined): string[] {
  return remarks.flatMap(({ metric, above, words }) => {
    const value = valueOf(metric) ?? 0;
    return value > above ? [words.replace('{percent}', String(Math.round(100 * value)))] : [];
  });
}
