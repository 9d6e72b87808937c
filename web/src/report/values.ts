import { groupThousands } from '../lib/format';
import { spreadInWords as inWords } from '../lib/spread';
import type { Difference } from '../series/live';
import {
  SIMULATED,
  type Cell,
  type MetricLabel,
  type Published,
  type PublishedRow,
  type Report,
  type RunEntry,
  type Summary,
} from '../series/report';

/** What is said of a metric that the report does not describe. */
export function labelOf(report: Report, metric: string): MetricLabel {
  const label = report.labels.get(metric);
  return label ?? { label: metric.replaceAll('_', ' '), unit: '', digits: 2, better: null };
}

/** The unit of a metric, unless its name says it already: not `Packets lost (packets)`. */
export function unitBeside(label: MetricLabel): string | null {
  return label.unit === '' || label.label.toLowerCase().split(' ').includes(label.unit) ? null : label.unit;
}

/** The name of a metric with its unit: `Elapsed time (s)`. */
export function titleOf(label: MetricLabel): string {
  const unit = unitBeside(label);
  return unit === null ? label.label : `${label.label} (${unit})`;
}

/** A value of a metric, without its unit. Medians of whole numbers keep their half. */
export function formatValue(value: number, label: MetricLabel): string {
  if (label.digits === 0 && !Number.isInteger(value) && Math.abs(value) < 1000) return value.toFixed(1);
  if (Math.abs(value) >= 10_000) return groupThousands(value);
  return value.toFixed(label.digits);
}

/** What stands for all repetitions: what the paper printed, or the median. */
export function averageOf(report: Report): 'median' | 'mean' {
  return report.experiment.published?.statistic ?? 'median';
}

/** Quartiles, extremes and mean in a sentence. */
export function spreadInWords(summary: Summary, label: MetricLabel): string {
  return inWords(summary, (value) => formatValue(value, label));
}

/** The published row for a cell, if the paper has one. */
export function publishedRow(published: Published | null, cell: Cell): PublishedRow | null {
  return (
    published?.rows.find(
      (row) => row.variant === cell.variant && (row.link === null || row.link === cell.link),
    ) ?? null
  );
}

/** What the paper printed for a metric of a cell. */
export function publishedValue(published: Published | null, cell: Cell, metric: string): number | null {
  const column = published?.columns.findIndex((one) => one.metric === metric) ?? -1;
  return column < 0 ? null : (publishedRow(published, cell)?.values[column] ?? null);
}

/** Metrics of the summary table: the paper's first, then the others that say most. */
export function summaryMetrics(report: Report): string[] {
  const first = report.experiment.published?.columns.map((column) => column.metric) ?? [];
  const usual = [
    'elapsed_s',
    'packets_lost',
    'retransmissions',
    'unnecessary_retransmissions',
    'spurious_timeouts',
    'genuine_timeouts',
    'spurious_fast_retransmits',
    'goodput_bps',
  ];
  const known = (metric: string) => report.cells.some((cell) => cell.metrics.has(metric));
  return [...new Set([...first, ...usual])].filter(known);
}

/** All metrics of the report in the order of their labels. */
export function allMetrics(report: Report): string[] {
  const measured = new Set(report.cells.flatMap((cell) => [...cell.metrics.keys()]));
  const labelled = [...report.labels.keys()].filter((metric) => measured.has(metric));
  return [...new Set([...labelled, ...measured])];
}

/** What a variant is called. */
export function variantTitle(report: Report, variant: string): string {
  return report.experiment.variants.find((one) => one.name === variant)?.title ?? variant;
}

/** What a link is called. */
export function linkTitle(report: Report, link: string): string {
  return report.experiment.links.find((one) => one.name === link)?.title ?? link;
}

/** What a run is called: its variant, and its link where there are several. */
export function runTitle(report: Report, { variant, link }: Pick<RunEntry, 'variant' | 'link'>): string {
  const title = variantTitle(report, variant);
  return report.experiment.links.length > 1 ? `${title}, ${linkTitle(report, link)}` : title;
}

/** Cells by link, in the order of the experiment. */
export function cellsByLink(report: Report): { link: string; cells: Cell[] }[] {
  const links = [
    ...new Set([...report.experiment.links.map((link) => link.name), ...report.cells.map((c) => c.link)]),
  ];
  const order = report.experiment.variants.map((variant) => variant.name);
  return links
    .map((link) => ({
      link,
      cells: report.cells
        .filter((cell) => cell.link === link)
        .sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant)),
    }))
    .filter((group) => group.cells.length > 0);
}

/** Whether any run of the report was on a kernel. */
export function hasLive(report: Report): boolean {
  return report.testbeds.some((testbed) => testbed !== SIMULATED);
}

/** The testbed of kernels in virtual time. */
export const VIRTUAL = 'kernel';

/** Whether any run of the report was on a kernel in real time. */
export function hasRealTime(report: Report): boolean {
  return report.testbeds.some((testbed) => testbed !== SIMULATED && testbed !== VIRTUAL);
}

/** What a testbed is called beside a variant. */
export function testbedTitle(testbed: string): string {
  if (testbed === SIMULATED) return 'simulated';
  if (testbed === VIRTUAL) return 'Linux in virtual time';
  return testbed === 'netns' ? 'live' : `live (${testbed})`;
}

/** Tells the cells of a link apart. */
export function cellKey(cell: { readonly variant: string; readonly testbed: string }): string {
  return `${cell.testbed}:${cell.variant}`;
}

/** The difference of a live cell's metric from the simulated one. */
export function differenceOf(report: Report, cell: Cell, metric: string): Difference | null {
  return (
    report.live.differences.find(
      (one) =>
        one.metric === metric &&
        one.variant === cell.variant &&
        one.link === cell.link &&
        one.testbed === cell.testbed,
    ) ?? null
  );
}

/** `+1.2`, `−13`: a change in per cent. */
export function signed(percent: number, digits = Math.abs(percent) < 10 ? 1 : 0): string {
  const text = Math.abs(percent).toFixed(digits);
  return Number(text) === 0 ? text : `${percent < 0 ? '−' : '+'}${text}`;
}

/** What so many runs can tell of a difference. */
export function tellingInWords(difference: Difference): string {
  const sure = difference.interval
    ? ` (95 % interval ${signed(difference.interval[0])} to ${signed(difference.interval[1])} %)`
    : '';
  const pairs = `${difference.pairs} ${difference.pairs === 1 ? 'pair' : 'pairs'} of runs`;
  switch (difference.telling) {
    case 'equal':
      return `equal in every one of ${pairs}`;
    case 'differs':
      return `they differ${sure}, over ${pairs}`;
    case 'not told apart':
      return `not told apart${sure}, over ${pairs}`;
    case 'too few':
      return `${pairs}: too few to tell a difference from chance`;
  }
}
