import { requireVersion } from './decode';
import { Json } from './json';
import { decodeLive, decodeLiveSetup, decodeRunCertificate } from './live';
import type { Certificate, Live, LiveSetup } from './live';
import { decodeCheck, decodeStatement } from './statements';
import type { Check, Statement } from './statements';

/** The version of the report format that this page reads. */
export const REPORT_VERSION = 1;

/** What the repetitions of one variant on one link gave for one metric. */
export interface Summary {
  readonly median: number;
  readonly mean: number;
  readonly q1: number;
  readonly q3: number;
  readonly min: number;
  readonly max: number;
  readonly values: readonly number[];
}

/** The testbed in virtual time. Every other one is live. */
export const SIMULATED = 'sim';

export interface Cell {
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  /** Runs that count. */
  readonly runs: number;
  /** Live runs that do not, by their certificate. */
  readonly invalid: number;
  /** Runs that do not, as they did not end in order. */
  readonly unfinished: number;
  readonly metrics: ReadonlyMap<string, Summary>;
}

export type ClaimStatus = 'reproduced' | 'not reproduced' | 'cannot be decided';

export interface Claim {
  readonly id: string;
  readonly text: string;
  readonly criterion: string;
  readonly status: ClaimStatus;
  readonly measured: string;
  readonly testbed: string;
  /** The source's own numbers, where a reproduction tells them. */
  readonly published: string;
  /** What is known of why it does not hold. */
  readonly note: string;
}

/** A figure that an experiment repeats. */
export type Figure =
  | { readonly kind: 'time-sequence' }
  | { readonly kind: 'conversations' }
  | { readonly kind: 'timer' }
  | { readonly kind: 'round-trips' }
  | {
      readonly kind: 'box-plot';
      readonly metric: string;
      readonly whiskers: number;
      readonly title: string | null;
    }
  /** `relativeTo` is the bandwidth that is 1 on the axis. */
  | { readonly kind: 'bandwidth'; readonly bin: string; readonly relativeTo: string | null }
  | {
      readonly kind: 'curve';
      readonly metric: string;
      readonly axis: string;
      readonly at: readonly number[];
    };

/** Where the average of a metric lies, with 95 % confidence. */
export interface Interval {
  readonly variant: string;
  readonly link: string;
  readonly metric: string;
  readonly low: number;
  readonly high: number;
}

/** Octets of data in each second of a run, of all its flows. */
export interface Course {
  readonly sent: readonly number[];
  /** For the first time. */
  readonly delivered: readonly number[];
}

export interface RunEntry {
  readonly key: string;
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  readonly repetition: number;
  readonly seed: string;
  readonly metrics: ReadonlyMap<string, number>;
  readonly files: readonly string[];
  /** How true to its plan a live run was; `null` for a simulated one. */
  readonly certificate: Certificate | null;
  /** In a reproduction, the keys of the flows whose diagrams are there, the run's own first. */
  readonly flows: readonly string[];
  /** In a reproduction, of the runs of a bandwidth figure. */
  readonly course: Course | null;
}

export interface MetricLabel {
  readonly label: string;
  readonly unit: string;
  readonly digits: number;
  readonly better: 'lower' | 'higher' | null;
}

export interface LinkSummary {
  readonly name: string;
  readonly title: string;
  readonly summary: readonly string[];
}

export interface VariantSummary {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Whether the kernel's TCP plays it, and not ours. */
  readonly kernel: boolean;
  /** Settings of the experiment that the kernel has no equal of, a sentence each. */
  readonly notCarried: readonly string[];
}

/** What the paper printed. */
export interface Published {
  readonly source: string;
  /** What stands for all repetitions, there and beside it. */
  readonly statistic: 'median' | 'mean';
  readonly columns: readonly { readonly metric: string; readonly label: string }[];
  readonly rows: readonly PublishedRow[];
}

export interface PublishedRow {
  readonly variant: string;
  readonly label: string;
  /** The link it was measured on, where the experiment has several. */
  readonly link: string | null;
  readonly values: readonly (number | null)[];
}

export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  readonly seed: string;
  readonly repetitions: number;
  readonly links: readonly LinkSummary[];
  readonly variants: readonly VariantSummary[];
  /** One line of words for each fact of the workload. */
  readonly workload: readonly string[];
  readonly published: Published | null;
  readonly figures: readonly Figure[];
  readonly assumptions: readonly string[];
  readonly version: string;
  readonly commit: string;
  readonly live: LiveSetup | null;
}

export interface Report {
  readonly experiment: Experiment;
  /** The simulated one first. */
  readonly testbeds: readonly string[];
  readonly cells: readonly Cell[];
  readonly claims: readonly Claim[];
  readonly runs: readonly RunEntry[];
  readonly labels: ReadonlyMap<string, MetricLabel>;
  readonly live: Live;
  /** In a reproduction of several experiments: where this one's own report lies, and how sure its averages are. */
  readonly directory: string;
  readonly intervals: readonly Interval[];
  /** The links on which nothing is random: their repetitions are copies of one run, and count as one. */
  readonly copied: readonly string[];
}

/** What a paper states and our experiments of it. */
export interface PaperPart {
  readonly name: string;
  readonly reports: readonly Report[];
  readonly statements: readonly Statement[];
  /** Checks that the paper does not state. */
  readonly additions: readonly { readonly check: Check; readonly why: string }[];
}

/** All experiments of some papers. */
export interface Reproduction {
  readonly papers: readonly PaperPart[];
  /** What each grade means. */
  readonly grades: ReadonlyMap<string, string>;
  /** How many master seeds each experiment was run with. */
  readonly seeds: number;
}

const STATUSES: readonly ClaimStatus[] = ['reproduced', 'not reproduced', 'cannot be decided'];

/** Decodes the report's JSON. Throws a `DataError` that names the place; `null` if the page holds no report yet. */
export function decodeReport(text: string): Report | null {
  const root = Json.parse(text, 'report');
  if (!root.present) return null;
  return reportOf(root);
}

/** Decodes the JSON of a reproduction; `null` if the page holds another report, or none. Throws as `decodeReport`. */
export function decodeReproduction(text: string): Reproduction | null {
  const root = Json.parse(text, 'report');
  if (!root.present || !root.get('papers').present) return null;
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  return {
    papers: root
      .get('papers')
      .list()
      .map((paper) => ({
        name: paper.get('name').string(),
        reports: paper.get('experiments').list().map(reportOf),
        statements: paper.get('statements').list().map(decodeStatement),
        additions: paper
          .get('own_additions')
          .list()
          .map((one) => ({ check: decodeCheck(one.get('check')), why: one.get('why').string() })),
      })),
    grades: new Map(
      root
        .get('grades')
        .entries()
        .map(([grade, meaning]) => [grade, meaning.string()]),
    ),
    seeds: root.get('seeds').list().length,
  };
}

function reportOf(root: Json): Report {
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  return {
    experiment: decodeExperiment(root.get('experiment')),
    testbeds: strings(root.get('testbeds')) ?? [SIMULATED],
    cells: root.get('cells').list().map(decodeCell),
    claims: root.get('claims').list().map(decodeClaim),
    runs: root.get('runs').list().map(decodeRun),
    labels: new Map(
      root
        .get('labels')
        .entries()
        .map(([name, label]) => [name, decodeLabel(label)]),
    ),
    live: decodeLive(root),
    directory: root.get('directory').optional((j) => j.string()) ?? '',
    intervals: root.get('intervals').optional((j) => j.list().map(decodeInterval)) ?? [],
    copied: strings(root.get('copied')) ?? [],
  };
}

function strings(json: Json): readonly string[] | null {
  return json.optional((j) => j.list().map((text) => text.string()));
}

function testbedOf(json: Json): string {
  return json.get('testbed').optional((j) => j.string()) ?? SIMULATED;
}

function decodeExperiment(json: Json): Experiment {
  return {
    name: json.get('name').string(),
    title: json.get('title').string(),
    description: json.get('description').optional((j) => j.string()) ?? '',
    source: json.get('source').optional((j) => j.string()) ?? '',
    seed: json.get('seed').text(),
    repetitions: json.get('repetitions').number(),
    links: json
      .get('links')
      .list()
      .map((link) => ({
        name: link.get('name').string(),
        title: link.get('title').optional((j) => j.string()) ?? link.get('name').string(),
        summary: link.get('summary').optional(lines) ?? [],
      })),
    variants: json
      .get('variants')
      .list()
      .map((variant) => ({
        name: variant.get('name').string(),
        title: variant.get('title').optional((j) => j.string()) ?? variant.get('name').string(),
        summary: variant.get('summary').optional((j) => lines(j).join('; ')) ?? '',
        kernel: variant.get('stack').value === 'linux',
        notCarried: strings(variant.get('not_carried')) ?? [],
      })),
    workload: json.get('workload').optional(decodeWorkload) ?? [],
    published: json.get('published').optional(decodePublished),
    figures: json.get('figures').optional((j) => j.list().map(decodeFigure)) ?? [],
    assumptions: strings(json.get('assumptions')) ?? [],
    version: json.get('version').optional((j) => j.text()) ?? 'unknown',
    commit: json.get('commit').optional((j) => j.text()) ?? 'unknown',
    live: json.get('live').optional(decodeLiveSetup),
  };
}

/** The title and the summary where the engine gives them, else every fact. */
function decodeWorkload(json: Json): readonly string[] {
  if (typeof json.value !== 'object' || Array.isArray(json.value)) return lines(json);
  const title = json.get('title').optional((j) => j.string());
  if (title === null) return lines(json);
  return [title, ...(json.get('summary').optional(lines) ?? [])];
}

/** Words from what may be one line, several, or an object of facts. */
function lines(json: Json): readonly string[] {
  if (typeof json.value === 'string') return [json.value];
  if (Array.isArray(json.value)) return json.list().map((line) => line.text());
  return json
    .entries()
    .filter(([, value]) => value.present)
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${plainText(value.value)}`);
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function decodePublished(json: Json): Published {
  return {
    source: json.get('source').optional((j) => j.string()) ?? '',
    statistic: json.get('statistic').optional((j) => j.string()) === 'mean' ? 'mean' : 'median',
    columns: json
      .get('columns')
      .list()
      .map((column) => ({
        metric: column.get('metric').string(),
        label: column.get('label').optional((j) => j.string()) ?? column.get('metric').string(),
      })),
    rows: json
      .get('rows')
      .list()
      .map((row) => ({
        variant: row.get('variant').string(),
        label: row.get('label').optional((j) => j.string()) ?? row.get('variant').string(),
        link: row.get('link').optional((j) => j.string()),
        values: row
          .get('values')
          .list()
          .map((value) => value.optional((j) => j.number())),
      })),
  };
}

function decodeCell(json: Json): Cell {
  return {
    variant: json.get('variant').string(),
    link: json.get('link').string(),
    testbed: testbedOf(json),
    runs: json.get('runs').number(),
    invalid: json.get('invalid').optional((j) => j.number()) ?? 0,
    unfinished: json.get('unfinished').optional((j) => j.number()) ?? 0,
    metrics: new Map(
      json
        .get('metrics')
        .entries()
        .map(([name, summary]) => [name, decodeSummary(summary)]),
    ),
  };
}

function decodeSummary(json: Json): Summary {
  const number = (key: string) => json.get(key).number();
  return {
    median: number('median'),
    mean: number('mean'),
    q1: number('q1'),
    q3: number('q3'),
    min: number('min'),
    max: number('max'),
    values: json
      .get('values')
      .list()
      .map((value) => value.number()),
  };
}

function decodeClaim(json: Json): Claim {
  const status = STATUSES.find((word) => word === json.get('status').value);
  return {
    id: json.get('id').string(),
    text: json.get('text').string(),
    criterion: json.get('criterion').optional((j) => j.string()) ?? '',
    status: status ?? json.get('status').fail(`one of ${STATUSES.join(', ')}`),
    measured: json.get('measured').optional((j) => j.string()) ?? '',
    testbed: testbedOf(json),
    published: json.get('published').optional((j) => j.string()) ?? '',
    note: json.get('note').optional((j) => j.string()) ?? '',
  };
}

function decodeInterval(json: Json): Interval {
  return {
    variant: json.get('variant').string(),
    link: json.get('link').string(),
    metric: json.get('metric').string(),
    low: json.get('low').number(),
    high: json.get('high').number(),
  };
}

function decodeFigure(json: Json): Figure {
  const kind = json.get('kind').string();
  switch (kind) {
    case 'time-sequence':
    case 'conversations':
    case 'timer':
    case 'round-trips':
      return { kind };
    case 'box-plot':
      return {
        kind,
        metric: json.get('metric').string(),
        whiskers: share(json.get('whiskers')),
        title: json.get('title').optional((j) => j.string()),
      };
    case 'bandwidth':
      return {
        kind,
        bin: json.get('bin').string(),
        relativeTo: json.get('relative_to').optional((j) => j.string()),
      };
    case 'curve':
      return {
        kind,
        metric: json.get('metric').string(),
        axis: json.get('axis').string(),
        at: json
          .get('at')
          .list()
          .map((at) => at.number()),
      };
    default:
      return json.get('kind').fail('a figure that this page can draw');
  }
}

/** `5 %` as 0.05; none as 0. */
function share(json: Json): number {
  const text = json.optional((j) => j.text()) ?? '0 %';
  return text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
}

function decodeRun(json: Json): RunEntry {
  return {
    key: json.get('key').string(),
    variant: json.get('variant').string(),
    link: json.get('link').string(),
    testbed: testbedOf(json),
    repetition: json.get('repetition').number(),
    seed: json.get('seed').text(),
    metrics: new Map(
      json
        .get('metrics')
        .entries()
        .filter(([, value]) => value.present)
        .map(([name, value]) => [name, value.number()]),
    ),
    files: strings(json.get('files')) ?? [],
    certificate: json.get('certificate').optional(decodeRunCertificate),
    flows: strings(json.get('flows')) ?? [],
    course: json.get('course').optional(decodeCourse),
  };
}

function decodeCourse(json: Json): Course {
  const octets = (key: string) =>
    json
      .get(key)
      .list()
      .map((sum) => sum.number());
  return { sent: octets('sent'), delivered: octets('delivered') };
}

function decodeLabel(json: Json): MetricLabel {
  const better = json.get('better').value;
  return {
    label: capital(json.get('label').string()),
    unit: json.get('unit').optional((j) => j.string()) ?? '',
    digits: json.get('digits').optional((j) => j.number()) ?? 0,
    better: better === 'lower' || better === 'higher' ? better : null,
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
