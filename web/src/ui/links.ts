/** The addresses of the pages: the one place that knows them. Names of documents may have slashes. */

import type { ReplayBy } from '../lib/replay';

export type DocumentKind = 'link' | 'variant' | 'workload' | 'experiment';

const path = (name: string) => name.split('/').map(encodeURIComponent).join('/');

const SHELVES = {
  link: '/profiles/links',
  variant: '/profiles/variants',
  workload: '/profiles/workloads',
  experiment: '/experiments',
} as const satisfies Record<DocumentKind, string>;

export const to = {
  home: '/',
  welcome: '/welcome',
  session: '/session',
  batches: '/batches',
  /** The runs, with the dialogue that takes a capsule open. */
  uploadCapsule: '/batches?upload=capsule',
  /** The batches with a tag. */
  tagged: (tag: string) => `/batches?tag=${encodeURIComponent(tag)}`,
  batch: (id: number) => `/batches/${id}`,
  /** Two or more variants of a batch beside each other. */
  compare: (id: number) => `/batches/${id}/compare`,
  /** A variant of a batch beside one of another batch. */
  compareBatches: (baseline: number, candidate: number) => `/comparisons?a=${baseline}&b=${candidate}`,
  /** A metric over batches. */
  trends: '/trends',
  /** The same, of the batches of an experiment, or of those with a tag. */
  trendOf: (by: 'experiment' | 'tag', name: string) => `/trends?${by}=${encodeURIComponent(name)}`,
  /** Where the comparison says in which decision two variants part first. */
  partAnchor: 'first-difference',
  run: (id: number) => `/runs/${id}`,
  /** Any two runs, and where they part; one of them may be to be chosen yet. */
  difference: (a?: number, b?: number) => {
    const both = Object.entries({ a, b }).flatMap(([key, run]) =>
      run === undefined ? [] : [`${key}=${run}`],
    );
    return ['/differences', ...(both.length > 0 ? [both.join('&')] : [])].join('?');
  },
  /** A new experiment on what the packets of a run met. */
  replay: (run: number, by: ReplayBy) => `/experiments/new?replay=${run}&by=${by}`,
  experiments: '/experiments',
  newExperiment: '/experiments/new',
  /** All documents of a kind. */
  documents: (kind: DocumentKind) => SHELVES[kind],
  document: (kind: DocumentKind, name: string) => `${SHELVES[kind]}/view/${path(name)}`,
  /** One's own document, to change it. */
  editDocument: (kind: DocumentKind, name: string) =>
    kind === 'experiment'
      ? `/experiments/new?edit=${encodeURIComponent(name)}`
      : `${SHELVES[kind]}/edit/${path(name)}`,
  /** What a document said before; also of one that was deleted. */
  history: (kind: DocumentKind, name: string) => `${SHELVES[kind]}/history/${path(name)}`,
  /** The deleted documents of a kind. */
  deleted: (kind: DocumentKind) => `${SHELVES[kind]}?origin=deleted`,
  /** A new document, or one that begins as a copy of another. */
  newDocument: (kind: DocumentKind, from?: string) =>
    `${SHELVES[kind]}/new${from === undefined ? '' : `?from=${encodeURIComponent(from)}`}`,
  extending: (name: string) => `/experiments/new?extends=${encodeURIComponent(name)}`,
  importRecording: '/profiles/links/import',
  importTrace: '/profiles/links/import?of=trace',
  searches: '/searches',
  search: (id: number) => `/searches/${id}`,
  /** The searches, with the dialogue for a new one open on an experiment. */
  newSearch: (experiment: string) => `/searches?experiment=${encodeURIComponent(experiment)}`,
  schedules: '/schedules',
  schedule: (id: number) => `/schedules/${id}`,
  /** The schedules, with the dialogue for a new one open on an experiment. */
  newSchedule: (experiment: string) => `/schedules?experiment=${encodeURIComponent(experiment)}`,
  papers: '/papers',
  paper: (name: string) => `/papers/${encodeURIComponent(name)}`,
  liveLink: '/live-link',
  captures: '/captures',
  testbeds: '/testbeds',
} as const;
