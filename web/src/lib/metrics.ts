import { formatOctets, formatRate, groupThousands } from './format';

/** What the engine measures of a run, and how it is said. The same list as docs/results.md; a test holds them equal. */
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
  readonly meaning: string;
}

type Row = readonly [string, string, string, number, Metric['better'], string];

// prettier-ignore
const ROWS: readonly Row[] = [
  ['elapsed_s', 'elapsed time', 's', 2, 'lower', 'From the first SYN sent to the acknowledgement of the last FIN arriving at the data sender; to the last packet, if it does not come to that.'],
  ['throughput_bps', 'throughput', 'bit/s', 0, 'higher', 'Payload that arrived intact at the data receiver, duplicates included, over the elapsed time.'],
  ['goodput_bps', 'goodput', 'bit/s', 0, 'higher', 'Payload that arrived intact at the data receiver, each octet counted once, over the elapsed time.'],
  ['segments_sent', 'segments sent', 'segments', 0, 'lower', 'Data segments the data sender sent, retransmissions included.'],
  ['packets_lost', 'packets lost', 'packets', 0, 'lower', 'Packets of both directions that the link dropped, whatever the cause.'],
  ['congestion_losses', 'lost to congestion', 'packets', 0, 'lower', 'Of the packets lost, those that found a queue full.'],
  ['retransmissions', 'retransmissions', 'segments', 0, 'lower', 'Segments sent of which an octet had been sent before, SYN and FIN counted as octets: what tcptrace counts.'],
  ['unnecessary_retransmissions', 'unnecessary retransmissions', 'segments', 0, 'lower', 'Retransmissions of which every octet was in an earlier copy that the link delivered intact.'],
  ['spurious_timeouts', 'spurious timeouts', 'timeouts', 0, 'lower', 'Retransmission timeouts that would not have happened, had the sender waited longer.'],
  ['genuine_timeouts', 'genuine timeouts', 'timeouts', 0, 'lower', 'Retransmission timeouts that had to happen: data, or all acknowledgements that would have told, were lost.'],
  ['fast_retransmits', 'fast retransmits', 'retransmits', 0, null, 'Entries into fast retransmit.'],
  ['spurious_fast_retransmits', 'spurious fast retransmits', 'retransmits', 0, 'lower', 'Fast retransmits whose segment was retransmitted unnecessarily.'],
  ['detector_true_positives', 'detector: true positives', 'timeouts', 0, 'higher', 'Spurious timeouts that the variant’s detector called spurious.'],
  ['detector_false_positives', 'detector: false positives', 'timeouts', 0, 'lower', 'Genuine timeouts that the variant’s detector called spurious.'],
  ['detector_true_negatives', 'detector: true negatives', 'timeouts', 0, 'higher', 'Genuine timeouts not called spurious; one that is repeated before any answer counts once.'],
  ['detector_false_negatives', 'detector: false negatives', 'timeouts', 0, 'lower', 'Spurious timeouts not called spurious; one that is repeated before any answer counts once.'],
  ['detector_undecided', 'detector: undecided', 'timeouts', 0, 'lower', 'Timeouts of which the variant’s detector said that it cannot tell; they count as not called spurious, too.'],
  ['detection_delay_s', 'detection delay', 's', 3, 'lower', 'From a timeout to the detector’s answer, the median over a run; a run without an answer has none.'],
];

/** All metrics in the order in which they are written everywhere. */
export const METRICS: readonly Metric[] = ROWS.map(([name, label, unit, digits, better, meaning]) => ({
  name,
  label,
  unit,
  digits,
  better,
  meaning,
}));

const BY_NAME = new Map(METRICS.map((metric) => [metric.name, metric]));

/** The metric of a name; one of a newer engine is called by its name. */
export function metricOf(name: string): Metric {
  return (
    BY_NAME.get(name) ?? {
      name,
      label: name.replaceAll('_', ' '),
      unit: '',
      digits: 2,
      better: null,
      meaning: '',
    }
  );
}

/** Names of metrics in the usual order, unknown ones last. */
export function inOrder(names: Iterable<string>): string[] {
  const place = (name: string) => {
    const at = METRICS.findIndex((metric) => metric.name === name);
    return at < 0 ? METRICS.length : at;
  };
  return [...new Set(names)].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

/** The name of a metric at the beginning of a line: `Elapsed time`. */
export function metricLabel({ label }: Metric): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** The name with the unit, for the head of a column or an axis: `Elapsed time (s)`, but not `Packets lost (packets)`. */
export function metricTitle(metric: Metric): string {
  const said = metric.unit === '' || metric.label.split(' ').includes(metric.unit);
  return said ? metricLabel(metric) : `${metricLabel(metric)} (${metric.unit})`;
}

/** A value without its unit. Medians of whole numbers keep their half. */
export function formatMetric(value: number, { digits }: Metric): string {
  if (digits === 0 && !Number.isInteger(value) && Math.abs(value) < 1000) return value.toFixed(1);
  if (Math.abs(value) >= 10_000) return groupThousands(value);
  return value.toFixed(digits);
}

/** A value with its unit, of a size that people read: `90.53 s`, `7.58 kbit/s`, `23`. Counts say what they count by their label. */
export function metricInWords(value: number, metric: Metric): string {
  if (metric.unit === 's') return `${formatMetric(value, metric)} s`;
  if (metric.unit === 'bit/s') return formatRate(value);
  if (metric.unit === 'B') return formatOctets(value);
  return formatMetric(value, metric);
}
