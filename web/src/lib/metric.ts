import { capital, formatOctets, formatRate, grouped, groupThousands } from './format';

/** What the engine measures of a run, and how it is said. The engine's table (metrics.ts) is the only one. */
export interface Metric {
  readonly name: string;
  /** In lower case, as within a sentence. */
  readonly label: string;
  /** Of its values as the API gives them: base units, octets and seconds. */
  readonly unit: string;
  /** Decimals that a person needs. */
  readonly digits: number;
  /** Which way is an improvement, where one way is. */
  readonly better: 'lower' | 'higher' | null;
  /** What exactly is counted. */
  readonly definition: string;
}

/** A metric that no table has: it is called by its name. */
export function unknownMetric(name: string): Metric {
  return { name, label: name.replaceAll('_', ' '), unit: '', digits: 2, better: null, definition: '' };
}

/** Names of metrics in the order of a table, unknown ones last. */
export function inOrderOf(table: readonly string[], names: Iterable<string>): string[] {
  const place = (name: string) => {
    const at = table.indexOf(name);
    return at < 0 ? table.length : at;
  };
  return [...new Set(names)].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

/** The name of a metric at the beginning of a line: `Elapsed time`. */
export function metricLabel({ label }: Metric): string {
  return capital(label);
}

/** The name with the unit, for the head of a column or an axis: `Elapsed time (s)`, but not `Packets lost (packets)`. */
export function metricTitle(metric: Metric): string {
  const said = metric.unit === '' || metric.label.toLowerCase().split(' ').includes(metric.unit);
  return said ? metricLabel(metric) : `${metricLabel(metric)} (${metric.unit})`;
}

/** A value without its unit. Medians of whole numbers keep their half. */
export function formatMetric(value: number, { digits }: Metric): string {
  if (digits === 0 && !Number.isInteger(value) && Math.abs(value) < 1000) return value.toFixed(1);
  if (Math.abs(value) >= 10_000) return groupThousands(value);
  return grouped(value.toFixed(digits));
}

/** A value with its unit, of a size that people read: `90.53 s`, `7.58 kbit/s`, `23`. Counts say what they count by their label. */
export function metricInWords(value: number, metric: Metric): string {
  if (metric.unit === 's') return `${formatMetric(value, metric)} s`;
  if (metric.unit === 'bit/s') return formatRate(value);
  if (metric.unit === 'B') return formatOctets(value);
  return formatMetric(value, metric);
}
