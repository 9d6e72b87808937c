import type { Engine } from '../contract/types';
import { metricTitle, formatMetric, inOrderOf, type Metric } from '../lib/metric';
import { spreadInWords as inWords, type Spread } from '../lib/spread';
import { SIMULATED, type Cell, type Difference } from '../series/report';

export { SIMULATED, type Cell };

/** What a paper printed. */
export type Published = Engine<'Published'>;

/** A part of an experiment and what it is called. */
export interface Named {
  readonly name: string;
  readonly title: string;
}

/** What the runs of an experiment measured, and what its parts are called: all that the tables and figures of results show. */
export interface Results {
  readonly cells: readonly Cell[];
  readonly testbeds: readonly string[];
  /** In the order of the experiment. */
  readonly variants: readonly Named[];
  readonly links: readonly Named[];
  readonly repetitions: number;
  readonly published: Published | null;
  readonly differences: readonly Difference[];
  readonly metricOf: (name: string) => Metric;
  /** Names of metrics in the order in which they are shown. */
  readonly order: readonly string[];
}

/** The testbed of kernels in virtual time. */
const VIRTUAL = 'kernel';

export const isVirtualKernel = (testbed: string) => testbed === VIRTUAL;
export const isRealTime = (testbed: string) => testbed !== SIMULATED && testbed !== VIRTUAL;

/** Whether any of the testbeds has a kernel in it. */
export function hasLive(testbeds: readonly string[]): boolean {
  return testbeds.some((testbed) => testbed !== SIMULATED);
}

/** What a testbed is called beside a variant. */
export function testbedTitle(testbed: string): string {
  if (testbed === SIMULATED) return 'simulated';
  if (testbed === VIRTUAL) return 'Linux in virtual time';
  return testbed === 'netns' ? 'live' : `live (${testbed})`;
}

/** What a part of an experiment is called. */
export function titleIn(parts: readonly Named[], name: string): string {
  return parts.find((one) => one.name === name)?.title ?? name;
}

/** Tells the cells of a link apart. */
export function cellKey(cell: { readonly variant: string; readonly testbed: string }): string {
  return `${cell.testbed}:${cell.variant}`;
}

/** Cells by link, in the order of the experiment. */
export function cellsByLink({ cells, links, variants }: Results): { link: string; cells: Cell[] }[] {
  const order = variants.map(({ name }) => name);
  return [...new Set([...links.map(({ name }) => name), ...cells.map(({ link }) => link)])]
    .map((link) => ({
      link,
      cells: cells
        .filter((cell) => cell.link === link)
        .sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant)),
    }))
    .filter((group) => group.cells.length > 0);
}

/** Cells in the order of a metric's median, the least first; those without it last. As they are without a metric. */
export function sortedBy(cells: readonly Cell[], metric: string | null): readonly Cell[] {
  if (metric === null) return cells;
  const of = (cell: Cell) => cell.metrics[metric]?.median ?? Infinity;
  return [...cells].sort((a, b) => of(a) - of(b) || 0);
}

/** What says most of a transfer that met a bad link. */
const USUAL = [
  'elapsed_s',
  'goodput_bps',
  'packets_lost',
  'retransmissions',
  'unnecessary_retransmissions',
  'spurious_timeouts',
  'genuine_timeouts',
  'spurious_fast_retransmits',
];

/** All metrics that any cell has, in their usual order. */
export function allMetrics({ cells, order }: Pick<Results, 'cells' | 'order'>): string[] {
  return inOrderOf(
    order,
    cells.flatMap(({ metrics }) => Object.keys(metrics)),
  );
}

/** Metrics of the summary table: the paper's first, then the others that say most, or all of them. */
export function summaryMetrics(
  results: Pick<Results, 'cells' | 'published' | 'order'>,
  all: boolean,
): string[] {
  const measured = allMetrics(results);
  const first = (results.published?.columns ?? []).map(({ metric }) => metric);
  const others = measured.filter((name) => all || USUAL.includes(name));
  return [...new Set([...first.filter((name) => measured.includes(name)), ...others])];
}

/** The metric that is shown first: the elapsed time, or of transfers for a set time how much arrived in it. */
export function firstMetric({ cells }: Pick<Results, 'cells'>): string {
  const times = cells.flatMap(({ metrics }) => metrics['elapsed_s']?.values ?? []);
  const set = cells.length > 1 && new Set(times).size === 1;
  return set && cells.every(({ metrics }) => 'goodput_bps' in metrics) ? 'goodput_bps' : 'elapsed_s';
}

/** What stands for all repetitions: what the paper printed, or the median. */
export function averageOf({ published }: Pick<Results, 'published'>): 'median' | 'mean' {
  return published?.statistic ?? 'median';
}

/** What the paper printed for a metric of a cell. */
export function publishedValue(
  published: Published | null,
  cell: Pick<Cell, 'variant' | 'link'>,
  metric: string,
): number | null {
  const column = published?.columns.findIndex((one) => one.metric === metric) ?? -1;
  const row = published?.rows.find(({ variant, link }) => variant === cell.variant && link === cell.link);
  return row?.values[column] ?? null;
}

/** The difference of a live cell's metric from the simulated one. */
export function differenceOf({ differences }: Results, cell: Cell, metric: string): Difference | null {
  const of = (one: Difference) =>
    one.metric === metric &&
    one.variant === cell.variant &&
    one.link === cell.link &&
    one.testbed === cell.testbed;
  return differences.find(of) ?? null;
}

/** Quartiles, extremes and mean in a sentence. */
export function spreadInWords(spread: Spread, metric: Metric): string {
  return inWords(spread, (value) => formatMetric(value, metric));
}

/** The unit of a metric, unless its name says it already: not `Packets lost (packets)`. */
export function unitBeside(metric: Metric): string | null {
  return metricTitle(metric).endsWith(`(${metric.unit})`) ? metric.unit : null;
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
