import type { Engine, Schema } from '../contract/types';
import { requireVersion } from './decode';
import { Json } from './json';
import { decodeStatement, type Statement } from './statements';

/** The version of the report format that this page reads. */
export const REPORT_VERSION = 1;

/** The testbed in virtual time. Every other one is live. */
export const SIMULATED = 'sim';

export type Experiment = Engine<'Experiment'>;
export type Figure = Engine<'FigureFile'>;
export type Certificate = Engine<'Certificate'>;
export type Course = Engine<'Course'>;

/** By name; not every name is there. */
type Sparse<T> = Readonly<Partial<Record<string, T>>>;

/** What the repetitions of one variant on one link gave for one metric. */
export type Summary = Engine<'Summary'>;

/** The runs of one variant on one link in one testbed. */
export interface Cell extends Omit<Engine<'ResultsCell'>, 'metrics'> {
  readonly metrics: Sparse<Summary>;
}

/** A reproduction also tells the source's own numbers, and what is known of why a claim does not hold. */
export type Claim = Schema<'ClaimView'> & Partial<Pick<Engine<'PaperClaim'>, 'published' | 'note'>>;

export type Interval = Engine<'Interval'>;

type Run = Omit<Engine<'DrawnRun'>, 'attempts' | 'certificate' | 'metrics'>;

export interface RunEntry extends Run {
  readonly metrics: Sparse<number>;
  /** How true to its plan a live run was; `null` for a simulated one. */
  readonly certificate: Certificate | null;
}

export type Difference = Engine<'Difference'>;

export interface Settings extends Omit<Engine<'ReportSettings'>, 'values'> {
  readonly values: Sparse<readonly string[]>;
}

type Frame = Required<Omit<Engine<'PaperReport'>, 'version' | 'incomplete' | 'embedded_note'>>;

/** A report, in which all is there that may be absent. */
export interface Report extends Omit<Frame, 'cells' | 'claims' | 'runs' | 'labels'> {
  readonly cells: readonly Cell[];
  readonly claims: readonly Claim[];
  readonly runs: readonly RunEntry[];
  readonly labels: Sparse<Engine<'ReportLabel'>>;
}

/** What a paper states and our experiments of it. */
export interface PaperPart extends Omit<Engine<'PaperPart'>, 'experiments' | 'statements'> {
  readonly experiments: readonly Report[];
  readonly statements: readonly Statement[];
}

/** All experiments of some papers. */
export interface Reproduction extends Omit<Engine<'Papers'>, 'papers' | 'grades'> {
  readonly papers: readonly PaperPart[];
  readonly grades: Sparse<string>;
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
