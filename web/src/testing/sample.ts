import { quantile } from '../lib/spread';
import { CAUSES, DROPS, PHASES, RULES, sketch, type Sketch, type SketchSetup } from './sketch';

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
      rule: delta(run.timeouts.map(() => -1)),
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
      estimated_rto: delta(run.state.map(() => -1)),
      phase: column(run.state, (x) => x.phase),
    },
    link: {
      holds: bands(begun(setup.holds), 0),
      outages: bands(begun(setup.outages), 1),
      bad: bands([], 0),
      drops: dropColumns(run),
      marks: { t: [], direction: [], id: [] },
      queue: {
        down: { t: column(run.queue, (x) => x.t), packets: column(run.queue, (x) => x.packets) },
        up: { t: [], packets: [] },
      },
      rates: { t: [0, 0], direction: [0, 1], bps: [28_800, 0] },
      delays: { t: [], direction: [], delay: [], delay_before: [] },
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
