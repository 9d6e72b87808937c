import { quantile } from '../lib/spread';
import { sampleMetrics, sampleSeries } from './sample';
import { randomFrom, type SketchSetup } from './sketch';

export const SAMPLE_VARIANTS = [
  { name: 'frto+sack', title: 'F-RTO with SACK', detects: true, sack: true },
  { name: 'sack', title: 'SACK', detects: false, sack: true },
  { name: 'newreno', title: 'NewReno', detects: false, sack: false },
  { name: 'frto+newreno', title: 'F-RTO with NewReno', detects: true, sack: false },
];

/** What the sample's published table has for each variant: seconds, packets lost, retransmissions. */
const SAMPLE_PUBLISHED: Readonly<Record<string, readonly number[]>> = {
  'frto+sack': [76.23, 4, 12],
  sack: [94.13, 9, 57],
  newreno: [90.72, 10, 60],
  'frto+newreno': [75.18, 6, 13],
};

/** The links of the sample: what the random process of each repetition makes. */
function setupFor(variant: (typeof SAMPLE_VARIANTS)[number], repetition: number): SketchSetup {
  const random = randomFrom(repetition * 7919);
  const holds: [number, number][] = [];
  for (let t = 4 + 12 * random(); t < 120;) {
    const length = 0.4 - 3.5 * Math.log(1 - random());
    holds.push([t, t + length]);
    t += length + 3 - 14 * Math.log(1 - random());
  }
  return {
    seed: repetition,
    detects: variant.detects,
    sack: variant.sack,
    size: 102_400,
    mss: 256,
    lossProbability: repetition % 4 === 0 ? 0.01 : 0,
    holds,
    outages: repetition % 5 === 0 ? [[30, 32.5]] : [],
  };
}

/** A whole report with its runs: what the engine and the command would have made of an experiment. */
export interface SampleReport {
  readonly report: Record<string, unknown>;
  /** By key: a `series.json` each. */
  readonly runs: ReadonlyMap<string, Record<string, unknown>>;
}

/** A run as the report's JSON has it. */
export interface SampleEntry {
  readonly key: string;
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
  readonly repetition: number;
  readonly seed: string;
  readonly metrics: Record<string, number>;
  readonly files: readonly string[];
  readonly certificate?: Record<string, unknown>;
  readonly attempts?: number;
}

/** One run of a variant; with a testbed where a report has several. */
export function sampleRun(
  variant: (typeof SAMPLE_VARIANTS)[number],
  repetition: number,
  testbed?: string,
): { readonly entry: SampleEntry; readonly series: Record<string, unknown> } {
  const setup = setupFor(variant, repetition);
  const place = `${variant.name}/${String(repetition).padStart(3, '0')}`;
  const key = testbed === undefined ? place : `${testbed}/${place}`;
  const who = { variant: variant.name, link: 'gprs-sudden-delays', repetition };
  const names = ['server.pcapng', 'client.pcapng', 'fates.csv', 'events.jsonl'];
  return {
    entry: {
      key,
      ...who,
      testbed: testbed ?? 'sim',
      seed: String(repetition * 1_000_003),
      metrics: sampleMetrics(setup),
      files: names.map((name) => `runs/${key}/${name}`),
    },
    series: sampleSeries(setup, who),
  };
}

/** The cell of a variant's runs. */
export function sampleCells(
  variant: string,
  own: readonly SampleEntry[],
  testbed = 'sim',
  invalid = 0,
): Record<string, unknown>[] {
  const names = [...new Set(own.flatMap((entry) => Object.keys(entry.metrics)))];
  const metrics = Object.fromEntries(
    names.map((name) => [
      name,
      summarise(own.flatMap((entry) => (name in entry.metrics ? [entry.metrics[name]] : []))),
    ]),
  );
  const live = testbed === 'sim' ? {} : { invalid };
  return [{ variant, link: 'gprs-sudden-delays', testbed, runs: own.length, metrics, ...live }];
}

/** Makes a report of four variants, all simulated. */
export function sampleReport(repetitions: number): SampleReport {
  const made = SAMPLE_VARIANTS.flatMap((variant) =>
    Array.from({ length: repetitions }, (_, i) => sampleRun(variant, i + 1)),
  );
  const entries = made.map(({ entry }) => entry);
  return {
    report: {
      version: 1,
      experiment: experiment(repetitions, SAMPLE_VARIANTS),
      testbeds: ['sim'],
      cells: SAMPLE_VARIANTS.flatMap(({ name }) =>
        sampleCells(
          name,
          entries.filter((entry) => entry.variant === name),
        ),
      ),
      claims: CLAIMS,
      runs: entries,
      labels: LABELS,
    },
    runs: new Map(made.map(({ entry, series }) => [entry.key, series])),
  };
}

function summarise(values: readonly number[]): Record<string, unknown> {
  return {
    median: quantile(values, 0.5),
    mean: values.reduce((a, b) => a + b, 0) / values.length,
    q1: quantile(values, 0.25),
    q3: quantile(values, 0.75),
    min: Math.min(...values),
    max: Math.max(...values),
    values,
  };
}

/** The experiment as the engine resolved it. */
export function experiment(
  repetitions: number,
  variants: readonly (typeof SAMPLE_VARIANTS)[number][],
): Record<string, unknown> {
  return {
    name: 'sample/sudden-delays',
    title: 'Sudden delays on a GPRS link (sample data)',
    description: 'Data from a sketch, for work on the page itself. No result of an experiment.',
    source: 'Sarolahti et al. 2003, section 5.2, Table 1',
    seed: '1',
    repetitions,
    links: [
      {
        name: 'gprs-sudden-delays',
        title: 'GPRS with sudden delays',
        summary: [
          '28.8 kbit/s, 200 ms, both ways',
          'drop-tail queue of 7 packets',
          'ARQ: send and receive buffer 1776 B, unlimited persistence',
          'sudden-delays: hold, each packet with probability 0.02, exponential(mean 3.5 s)',
        ],
      },
    ],
    variants: variants.map((v) => ({
      name: v.name,
      title: v.title,
      summary: [
        `${v.sack ? 'sack' : 'newreno'} recovery, ${v.detects ? 'frto' : 'no'} detection, rfc6298 timer`,
      ],
      stack: 'windlull',
      not_carried: [],
    })),
    workload: { title: 'kind: bulk', summary: ['size: 100 KiB', 'direction: down'] },
    published: {
      source: 'Table 1',
      statistic: 'median',
      columns: [
        { metric: 'elapsed_s', label: 'Time (s)' },
        { metric: 'packets_lost', label: 'Pkts lost' },
        { metric: 'retransmissions', label: 'Rexmits' },
      ],
      rows: variants
        .filter((v) => v.name in SAMPLE_PUBLISHED)
        .map((v) => ({
          variant: v.name,
          label: v.title,
          link: 'gprs-sudden-delays',
          values: SAMPLE_PUBLISHED[v.name],
        })),
    },
    claims: [],
    assumptions: [
      'The paper gives no receive window; 32,768 octets are never the limit here.',
      'The paper does not say whether the receiver delays acknowledgements; it acknowledges every segment here.',
    ],
    version: '0.1.0',
    commit: '0000000',
  };
}

const CLAIMS = [
  {
    id: 'frto-beats-sack',
    text: 'F-RTO is faster than conventional recovery with SACK',
    criterion: 'median elapsed_s of frto+sack < 1 × that of sack',
    status: 'reproduced',
    measured: '72.1 s < 85.0 s',
  },
  {
    id: 'frto-fewer-retransmissions',
    text: 'F-RTO avoids most unnecessary retransmissions after a delay',
    criterion: 'median retransmissions of frto+newreno <= 1/3 of those of newreno',
    status: 'not reproduced',
    measured: '14 > 0.333 × 39',
  },
  {
    id: 'frto-eifel',
    text: 'Eifel loses more packets to congestion than F-RTO',
    criterion: 'median congestion_losses of eifel+sack > that of frto+sack',
    status: 'cannot be decided',
    measured: 'eifel+sack was not run',
  },
];

export const LABELS: Record<string, unknown> = {
  elapsed_s: { label: 'Elapsed time', unit: 's', digits: 2, better: 'lower' },
  throughput_bps: { label: 'Throughput', unit: 'bit/s', digits: 0, better: 'higher' },
  goodput_bps: { label: 'Goodput', unit: 'bit/s', digits: 0, better: 'higher' },
  segments_sent: { label: 'Segments sent', unit: '', digits: 0, better: null },
  packets_lost: { label: 'Packets lost', unit: '', digits: 0, better: 'lower' },
  congestion_losses: { label: 'Lost to congestion', unit: '', digits: 0, better: 'lower' },
  retransmissions: { label: 'Retransmissions', unit: '', digits: 0, better: 'lower' },
  unnecessary_retransmissions: { label: 'Unnecessary retransmissions', unit: '', digits: 0, better: 'lower' },
  spurious_timeouts: { label: 'Spurious timeouts', unit: '', digits: 0, better: 'lower' },
  genuine_timeouts: { label: 'Genuine timeouts', unit: '', digits: 0, better: 'lower' },
  fast_retransmits: { label: 'Fast retransmits', unit: '', digits: 0, better: null },
  spurious_fast_retransmits: { label: 'Spurious fast retransmits', unit: '', digits: 0, better: 'lower' },
  detection_delay_s: { label: 'Detection delay', unit: 's', digits: 2, better: 'lower' },
};
