import type { Engine, Schema } from '../contract/types';
import type { Metric } from '../lib/metric';
import { requireVersion } from './decode';
import { Json } from './json';
import { decodeStatement, type Check, type Statement } from './statements';

/** The version of the report format that this page reads. */
export const REPORT_VERSION = 1;

/** The testbed in virtual time. Every other one is live. */
export const SIMULATED = 'sim';

export type Experiment = Engine<'Experiment'>;
export type Figure = Engine<'FigureFile'>;
export type Certificate = Engine<'Certificate'>;
export type Course = Engine<'Course'>;

/** What the repetitions of one variant on one link gave for one metric. */
export type Summary = Schema<'SummaryTold'>;

/** The runs of one variant on one link in one testbed. */
export interface Cell extends Omit<Schema<'CellTold'>, 'metrics'> {
  /** Runs that count nowhere, as they did not end in order. */
  readonly unfinished?: number;
  readonly metrics: Readonly<Partial<Record<string, Summary>>>;
}

export interface Claim extends Schema<'ClaimTold'> {
  /** The source's own numbers, where a reproduction tells them. */
  readonly published?: string | null;
  /** What is known of why it does not hold. */
  readonly note?: string | null;
}

/** Where the average of a metric lies, with 95 % confidence. */
export interface Interval {
  readonly variant: string;
  readonly link: string;
  readonly metric: string;
  readonly low: number;
  readonly high: number;
}

export interface RunEntry {
  readonly key: string;
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  readonly repetition: number;
  readonly seed: string;
  readonly metrics: Readonly<Partial<Record<string, number>>>;
  readonly files: readonly string[];
  /** How true to its plan a live run was; `null` for a simulated one. */
  readonly certificate: Certificate | null;
  /** In a reproduction, the keys of the flows whose diagrams are there, the run's own first. */
  readonly flows: readonly string[];
  /** In a reproduction, of the runs of a bandwidth figure. */
  readonly course: Course | null;
}

/** The live median of a metric against the simulated one. */
export interface Difference {
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  readonly metric: string;
  readonly absolute: number;
  /** `null` where the simulated median is 0. */
  readonly percent: number | null;
  readonly pairs: number;
  /** The 95 % interval of `percent`. */
  readonly interval: readonly [number, number] | null;
  readonly telling: 'equal' | 'differs' | 'not told apart' | 'too few';
}

/** What the kernel's settings were in the live runs of a variant: mostly one value each. */
export interface Settings {
  readonly variant: string;
  readonly testbed: string;
  readonly runs: number;
  readonly values: Readonly<Partial<Record<string, readonly string[]>>>;
}

export interface Report {
  readonly experiment: Experiment;
  /** The simulated one first. */
  readonly testbeds: readonly string[];
  readonly cells: readonly Cell[];
  readonly claims: readonly Claim[];
  readonly runs: readonly RunEntry[];
  readonly labels: Readonly<Partial<Record<string, Pick<Metric, 'label' | 'unit' | 'digits' | 'better'>>>>;
  readonly differences: readonly Difference[];
  readonly settings: readonly Settings[];
  /** Runs that came to nothing. */
  readonly failed: readonly { readonly key: string; readonly attempts: number; readonly reason: string }[];
  /** In a reproduction of several experiments: where this one's own report lies, and how sure its averages are. */
  readonly directory: string;
  readonly intervals: readonly Interval[];
  /** The links on which nothing is random: their repetitions are copies of one run, and count as one. */
  readonly copied: readonly string[];
}

/** What a paper states and our experiments of it. */
export interface PaperPart {
  readonly name: string;
  readonly experiments: readonly Report[];
  readonly statements: readonly Statement[];
  /** Checks that the paper does not state. */
  readonly own_additions: readonly { readonly check: Check; readonly why: string }[];
}

/** All experiments of some papers. */
export interface Reproduction {
  readonly papers: readonly PaperPart[];
  /** What each grade means. */
  readonly grades: Readonly<Partial<Record<string, string>>>;
  /** What each master seed gave that the experiments were run with. */
  readonly seeds: readonly unknown[];
}

/** What a report says nothing of where there is nothing. */
const NOTHING = { differences: [], settings: [], failed: [], directory: '', intervals: [], copied: [] };

const STATUSES: readonly Claim['status'][] = ['reproduced', 'not reproduced', 'cannot be decided'];

const FIGURES: readonly Figure['kind'][] = [
  'time-sequence',
  'conversations',
  'timer',
  'round-trips',
  'box-plot',
  'bandwidth',
  'curve',
];

/** Decodes the report's JSON. Throws a `DataError` that names the place; `null` if the page holds no report yet. */
export function decodeReport(text: string): Report | null {
  const root = Json.parse(text, 'report');
  return root.present ? reportOf(root) : null;
}

/** Decodes the JSON of a reproduction; `null` if the page holds another report, or none. Throws as `decodeReport`. */
export function decodeReproduction(text: string): Reproduction | null {
  const root = Json.parse(text, 'report');
  if (!root.present || !root.get('papers').present) return null;
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  const papers = root
    .get('papers')
    .list()
    .map((paper) => ({
      ...(paper.value as PaperPart),
      experiments: paper.get('experiments').list().map(reportOf),
      statements: paper.get('statements').list().map(decodeStatement),
    }));
  return { ...(root.value as Reproduction), papers };
}

/** The report as it was written by this Windlull: what another one may have written otherwise is looked at. */
function reportOf(root: Json): Report {
  requireVersion(root.get('version'), REPORT_VERSION, 'report');
  for (const claim of root.get('claims').list()) claim.get('status').among(STATUSES);
  for (const figure of root
    .get('experiment')
    .get('figures')
    .optional((json) => json.list()) ?? []) {
    const kind = figure.get('kind');
    if (!FIGURES.some((one) => one === kind.value)) kind.fail('a figure that this page can draw');
  }
  const report = root.value as Report;
  return {
    ...NOTHING,
    ...report,
    claims: report.claims.map((claim) => ({ ...claim, testbed: claim.testbed ?? SIMULATED })),
    runs: report.runs.map((run) => ({ ...{ certificate: null, flows: [], course: null }, ...run })),
  };
}
