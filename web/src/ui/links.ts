/** The addresses of the pages: the one place that knows them. Names of documents may have slashes. */

export type DocumentKind = 'link' | 'variant' | 'workload' | 'experiment';

const path = (name: string) => name.split('/').map(encodeURIComponent).join('/');

const PLURAL = {
  link: 'links',
  variant: 'variants',
  workload: 'workloads',
  experiment: 'experiments',
} as const satisfies Record<DocumentKind, string>;

export const to = {
  home: '/',
  welcome: '/welcome',
  session: '/session',
  batches: '/batches',
  /** The runs, with the dialogue that takes a capsule open. */
  uploadCapsule: '/batches?upload=capsule',
  batch: (id: number) => `/batches/${id}`,
  /** Two or more variants of a batch beside each other. */
  compare: (id: number) => `/batches/${id}/compare`,
  run: (id: number) => `/runs/${id}`,
  experiments: '/experiments',
  experiment: (name: string) => `/experiments/view/${path(name)}`,
  newExperiment: '/experiments/new',
  /** A new experiment that begins as a copy of another. */
  newExperimentFrom: (name: string) => `/experiments/new?from=${encodeURIComponent(name)}`,
  /** One's own experiment, to change it. */
  editExperiment: (name: string) => `/experiments/new?edit=${encodeURIComponent(name)}`,
  profiles: (kind: DocumentKind) => `/profiles/${PLURAL[kind]}`,
  profile: (kind: DocumentKind, name: string) =>
    kind === 'experiment'
      ? `/experiments/view/${path(name)}`
      : `/profiles/${PLURAL[kind]}/view/${path(name)}`,
  editProfile: (kind: DocumentKind, name: string) => `/profiles/${PLURAL[kind]}/edit/${path(name)}`,
  newProfile: (kind: DocumentKind, from?: string) =>
    `/profiles/${PLURAL[kind]}/new${from === undefined ? '' : `?from=${encodeURIComponent(from)}`}`,
  importLink: '/profiles/links/import',
  papers: '/papers',
  paper: (name: string) => `/papers/${encodeURIComponent(name)}`,
  liveLink: '/live-link',
  captures: '/captures',
  testbeds: '/testbeds',
} as const;
