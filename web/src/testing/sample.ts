import { CAUSES, DROPS, PHASES, RULES, randomFrom, sketch, type Sketch, type SketchSetup } from './sketch';

/** Delta-codes a column: the first value, then differences. */
export function delta(values: readonly number[]): number[] {
  return values.map((value, i) => Math.round(value) - Math.round(i === 0 ? 0 : values[i - 1]));
}

const column = <T>(rows: readonly T[], of: (row: T) => number): number[] => delta(rows.map(of));

/** The set-up of the sample's first run: a three-second hold, as in the first figure of sarolahti2003. */
export const ONE_HOLD: SketchSetup = {
  seed: 1,
  detects: false,
  sack: false,
  size: 40_960,
  mss: 256,
  lossProbability: 0,
  holds: [[5, 8.4]],
  outages: [],
};

interface Identity {
  readonly variant: string;
  readonly link: string;
  readonly repetition: number;
}

/** A `series.json` as the engine writes it, made from a sketch. */
export function sampleSeries(setup: SketchSetup, who: Partial<Identity> = {}): Record<string, unknown> {
  return encode(sketch(setup), setup, {
    variant: setup.detects ? 'frto+newreno' : 'newreno',
    link: 'gprs-sudden-delays',
    repetition: 1,
    ...who,
  });
}

function encode(run: Sketch, setup: SketchSetup, who: Identity): Record<string, unknown> {
  const verdicts = judge(run);
  const bands = (list: readonly (readonly [number, number])[], name: number) => ({
    from: delta(list.map(([from]) => from * 1e9)),
    to: delta(list.map(([, to]) => Math.min(run.end, to * 1e9))),
    direction: delta(list.map(() => 0)),
    name: delta(list.map(() => name)),
  });
  const begun = (list: readonly (readonly [number, number])[]) =>
    list.filter(([from]) => from * 1e9 < run.end);
  return {
    version: 1,
    run: { experiment: 'sample/sudden-delays', seed: '18446744073709551615', ...who },
    data_sender: 'server',
    duration_ns: Math.round(run.end),
    names: {
      cause: CAUSES,
      verdict: ['original', 'necessary', 'unnecessary', 'unknown'],
      drop: DROPS,
      phase: PHASES,
      rule: RULES,
      answer: ['spurious', 'genuine', 'undecided'],
      impairment: ['sudden-delays', 'outages'],
      reason: ['delayed', 'ack-lost', 'data-lost'],
    },
    data: {
      t: column(run.segments, (s) => s.t),
      id: column(run.segments, (s) => s.id),
      seq: column(run.segments, (s) => s.seq),
      len: column(run.segments, (s) => s.len),
      cause: column(run.segments, (s) => s.cause),
      verdict: delta(verdicts.segments),
      reason: delta(verdicts.segments.map((verdict) => (verdict === 2 ? 0 : verdict === 1 ? 2 : -1))),
      arrived: column(run.segments, (s) => s.arrived),
      drop: column(run.segments, (s) => s.drop),
      held: column(run.segments, (s) => s.held),
    },
    acks: {
      t: column(run.acks, (a) => a.t),
      ack: column(run.acks, (a) => a.ack),
      edge: column(run.acks, (a) => a.edge),
      dup: column(run.acks, (a) => a.dup),
    },
    sacks: {
      t: column(run.sacks, (s) => s.t),
      left: column(run.sacks, (s) => s.left),
      right: column(run.sacks, (s) => s.right),
      dsack: column(run.sacks, (s) => s.dsack),
    },
    timeouts: {
      t: column(run.timeouts, (x) => x.t),
      ordinal: delta(run.timeouts.map((_, i) => i + 1)),
      una: column(run.timeouts, (x) => x.una),
      rto: column(run.timeouts, (x) => x.rto),
      backoff: column(run.timeouts, (x) => x.backoff),
      verdict: delta(verdicts.timeouts),
      reason: delta(verdicts.timeouts.map((verdict) => (verdict === 0 ? 0 : 2))),
      answer: column(run.timeouts, (x) => x.answer),
      answered: column(run.timeouts, (x) => x.answered),
    },
    fast_retransmits: {
      t: column(run.fast, (x) => x.t),
      una: column(run.fast, (x) => x.una),
      verdict: delta(verdicts.fast),
    },
    detector: {
      t: column(run.detector, (x) => x.t),
      ordinal: column(run.detector, (x) => x.ordinal),
      rule: column(run.detector, (x) => x.rule),
      answer: column(run.detector, (x) => x.answer),
    },
    responses: {
      t: column(run.responses, (x) => x.t),
      ordinal: column(run.responses, (x) => x.ordinal),
      cwnd_before: column(run.responses, (x) => x.before),
      cwnd_after: column(run.responses, (x) => x.after),
      name: run.responses.map(() => 'frto-conservative'),
    },
    state: {
      t: column(run.state, (x) => x.t),
      cwnd: column(run.state, (x) => x.cwnd),
      ssthresh: column(run.state, (x) => x.ssthresh),
      flight: column(run.state, (x) => x.flight),
      srtt: column(run.state, (x) => x.srtt),
      rttvar: column(run.state, (x) => x.rttvar),
      rto: column(run.state, (x) => x.rto),
      phase: column(run.state, (x) => x.phase),
    },
    link: {
      holds: bands(begun(setup.holds), 0),
      outages: bands(begun(setup.outages), 1),
      bad: bands([], 0),
      drops: dropColumns(run),
      queue: {
        down: { t: column(run.queue, (x) => x.t), packets: column(run.queue, (x) => x.packets) },
        up: { t: [], packets: [] },
      },
      rates: { t: [0, 0], direction: [0, 1], bps: [28_800, 0] },
    },
  };
}

function dropColumns(run: Sketch): Record<string, number[]> {
  const drops = [...run.drops].sort((a, b) => a.t - b.t);
  return {
    t: column(drops, (x) => x.t),
    direction: column(drops, (x) => x.direction),
    by: column(drops, (x) => x.by),
    id: column(drops, (x) => x.id),
  };
}

/** Verdicts from the fates, roughly as the engine makes them. */
function judge(run: Sketch): { segments: number[]; timeouts: number[]; fast: number[] } {
  const arrives = new Set<number>();
  const segments = run.segments.map((segment) => {
    const verdict = !segment.again ? 0 : arrives.has(segment.seq) ? 2 : 1;
    if (segment.arrived >= 0) arrives.add(segment.seq);
    return verdict;
  });
  const spurious = (t: number, una: number) =>
    run.segments.some((s) => s.seq === una && s.t < t && s.arrived >= 0) ? 0 : 1;
  return {
    segments,
    timeouts: run.timeouts.map((x) => spurious(x.t, x.una)),
    fast: run.fast.map((x) => spurious(x.t, x.una)),
  };
}

/** A run's metrics under the engine's names, as far as the sketch knows them. */
export function sampleMetrics(setup: SketchSetup): Record<string, number> {
  const run = sketch(setup);
  const { segments, timeouts, fast } = judge(run);
  const count = (list: readonly number[], value: number) => list.filter((x) => x === value).length;
  const elapsed = run.end / 1e9;
  const arrived = run.segments.filter((s) => s.arrived >= 0).reduce((sum, s) => sum + s.len, 0);
  const delays = run.timeouts.filter((x) => x.answered >= 0).map((x) => (x.answered - x.t) / 1e9);
  const answers = (answer: number, verdict: number) =>
    run.timeouts.filter((x, i) => x.answer === answer && timeouts[i] === verdict).length;
  return {
    elapsed_s: elapsed,
    throughput_bps: (arrived * 8) / elapsed,
    goodput_bps: (setup.size * 8) / elapsed,
    segments_sent: run.segments.length,
    packets_lost: run.drops.length,
    congestion_losses: run.drops.filter((d) => d.by === 0).length,
    retransmissions: segments.filter((v) => v !== 0).length,
    unnecessary_retransmissions: count(segments, 2),
    spurious_timeouts: count(timeouts, 0),
    genuine_timeouts: count(timeouts, 1),
    fast_retransmits: fast.length,
    spurious_fast_retransmits: count(fast, 0),
    detector_true_positives: answers(0, 0),
    detector_false_positives: answers(0, 1),
    detector_true_negatives: count(timeouts, 1) - answers(0, 1),
    detector_false_negatives: count(timeouts, 0) - answers(0, 0),
    detector_undecided: 0,
    ...(delays.length > 0 ? { detection_delay_s: quantile(delays, 0.5) } : {}),
  };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const lo = Math.floor(at);
  return sorted[lo] + (sorted[Math.ceil(at)] - sorted[lo]) * (at - lo);
}

const SAMPLE_VARIANTS = [
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

/** Makes a report of four variants. */
export function sampleReport(repetitions: number): SampleReport {
  const runs = new Map<string, Record<string, unknown>>();
  const entries: { variant: string; metrics: Record<string, number> }[] = [];
  for (const variant of SAMPLE_VARIANTS) {
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      const setup = setupFor(variant, repetition);
      const key = `${variant.name}/${String(repetition).padStart(3, '0')}`;
      const who = { variant: variant.name, link: 'gprs-sudden-delays', repetition };
      runs.set(key, sampleSeries(setup, who));
      const files = ['server.pcapng', 'client.pcapng', 'fates.csv', 'events.jsonl'].map(
        (f) => `runs/${key}/${f}`,
      );
      const entry = {
        key,
        ...who,
        seed: String(repetition * 1_000_003),
        metrics: sampleMetrics(setup),
        files,
      };
      entries.push(entry);
    }
  }
  const cells = SAMPLE_VARIANTS.map((variant) => {
    const own = entries.filter((entry) => entry.variant === variant.name);
    const names = [...new Set(own.flatMap((entry) => Object.keys(entry.metrics)))];
    const metrics = Object.fromEntries(
      names.map((name) => [
        name,
        summarise(own.flatMap((entry) => (name in entry.metrics ? [entry.metrics[name]] : []))),
      ]),
    );
    return { variant: variant.name, link: 'gprs-sudden-delays', runs: own.length, metrics };
  });
  return {
    report: {
      version: 1,
      experiment: experiment(repetitions),
      cells,
      claims: CLAIMS,
      runs: entries,
      labels: LABELS,
    },
    runs,
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

function experiment(repetitions: number): Record<string, unknown> {
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
    variants: SAMPLE_VARIANTS.map((v) => ({
      name: v.name,
      title: v.title,
      summary: `${v.sack ? 'sack' : 'newreno'} recovery, ${v.detects ? 'frto' : 'no'} detection, rfc6298 timer`,
    })),
    workload: { kind: 'bulk', size: '100 KiB', direction: 'down' },
    published: {
      source: 'Table 1',
      columns: [
        { metric: 'elapsed_s', label: 'Time (s)' },
        { metric: 'packets_lost', label: 'Pkts lost' },
        { metric: 'retransmissions', label: 'Rexmits' },
      ],
      rows: SAMPLE_VARIANTS.map((v) => ({
        variant: v.name,
        label: v.title,
        values: SAMPLE_PUBLISHED[v.name],
      })),
    },
    claims: [],
    assumptions: [
      'The paper gives no receive window; 32 768 octets are never the limit here.',
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

const LABELS: Record<string, unknown> = {
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
