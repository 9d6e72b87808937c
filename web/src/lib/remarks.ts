import { remarks } from '../../../controller/windlull/metrics.json';
import { grouped, groupThousands } from './format';

/** What must not be overlooked in these metrics, in words: `limited by the receive window for 93 % of the time`. */
export function remarksOn(valueOf: (metric: string) => number | undefined): string[] {
  return remarks.flatMap(({ metric, above, words }) => {
    const value = valueOf(metric) ?? 0;
    if (value <= above) return [];
    // In braces, the value in per cent or another metric.
    return words.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === 'percent' ? String(Math.round(100 * value)) : numberOf(valueOf(name) ?? 0),
    );
  });
}

function numberOf(value: number): string {
  return Number.isInteger(value) ? groupThousands(value) : grouped(value.toFixed(2));
}
