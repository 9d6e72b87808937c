/**
 * A sketch of a TCP transfer over a slow link with holds and losses: enough of one to make data that look like those of
 * the engine, for tests and for the development page. It is no model of TCP; the engine is.
 */

export interface SketchSetup {
  readonly seed: number;
  /** Whether the sender asks, after a timeout, if it was spurious (in the manner of F-RTO). */
  readonly detects: boolean;
  readonly sack: boolean;
  readonly size: number;
  readonly mss: number;
  readonly lossProbability: number;
  /** `[from, to]` in seconds. */
  readonly holds: readonly (readonly [number, number])[];
  readonly outages: readonly (readonly [number, number])[];
}

export interface SentSegment {
  t: number;
  id: number;
  seq: number;
  len: number;
  cause: number;
  arrived: number;
  drop: number;
  held: number;
  again: boolean;
}

export interface Sketch {
  readonly segments: SentSegment[];
  readonly acks: { t: number; ack: number; edge: number; dup: number }[];
  readonly sacks: { t: number; left: number; right: number; dsack: number }[];
  readonly timeouts: {
    t: number;
    una: number;
    rto: number;
    backoff: number;
    answer: number;
    answered: number;
  }[];
  readonly fast: { t: number; una: number }[];
  readonly detector: { t: number; ordinal: number; rule: number; answer: number }[];
  readonly responses: { t: number; ordinal: number; before: number; after: number }[];
  readonly state: {
    t: number;
    cwnd: number;
    ssthresh: number;
    flight: number;
    srtt: number;
    rttvar: number;
    rto: number;
    phase: number;
  }[];
  readonly drops: { t: number; direction: number; by: number; id: number }[];
  readonly queue: { t: number; packets: number }[];
  readonly end: number;
}

export const CAUSES = [
  'new-data',
  'timeout',
  'after-timeout',
  'fast-retransmit',
  'partial-ack',
  'detector-probe',
];
export const DROPS = ['queue-overflow', 'random-loss', 'outage'];
export const PHASES = [
  'slow-start',
  'congestion-avoidance',
  'fast-recovery',
  'detecting',
  'timeout-recovery',
];
export const RULES = [
  'F-RTO 1: the timer fired; retransmit the first segment and watch the next ACKs',
  'F-RTO 2a: the first ACK after the timeout advances the window; send new data',
  'F-RTO 2b: a duplicate ACK after the timeout; retransmit conventionally',
  'F-RTO 3a: the second ACK advances the window too; the timeout was spurious',
  'F-RTO 3b: a duplicate ACK; retransmit conventionally',
];

const S = 1e9;
const RATE = 28_800;
const PROPAGATION = 0.2 * S;
const QUEUE_LIMIT = 7;
const HEADER = 40;
const WINDOW = 32_768;
/** Low enough that slow start does not overflow the queue, so that the first timeout is that of the first hold. */
const FIRST_THRESHOLD = 2048;

/** A small generator of numbers in `[0, 1)`; the same seed gives the same run. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4294967296;
  };
}

interface Event {
  readonly t: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs the transfer to its end. */
export function sketch(setup: SketchSetup): Sketch {
  return new Transfer(setup).run();
}

class Transfer {
  readonly #setup: SketchSetup;
  readonly #random: () => number;
  readonly #out: Omit<Sketch, 'end'> = {
    segments: [],
    acks: [],
    sacks: [],
    timeouts: [],
    fast: [],
    detector: [],
    responses: [],
    state: [],
    drops: [],
    queue: [],
  };
  readonly #events: Event[] = [];
  #order = 0;
  #now = 0;
  #nextId = 4;

  #una = 0;
  #next = 0;
  #max = 0;
  #cwnd: number;
  #ssthresh = FIRST_THRESHOLD;
  #srtt = -1;
  #rttvar = -1;
  #rto = 3 * S;
  #backoff = 0;
  #timer = -1;
  #dupAcks = 0;
  #recovery = -1;
  #afterTimeout = -1;
  #detecting = 0;
  #sample: { seq: number; t: number } | null = null;

  #queued = 0;
  #linkFree = 0;
  #released = 0;

  #received = new Set<number>();
  #expected = 0;

  constructor(setup: SketchSetup) {
    this.#setup = setup;
    this.#random = randomFrom(setup.seed);
    this.#cwnd = 2 * setup.mss;
  }

  run(): Sketch {
    this.#at(0.6 * S, () => {
      this.#say();
      this.#transmit();
    });
    for (;;) {
      const event = this.#pop();
      if (!event || this.#una >= this.#setup.size) break;
      this.#now = event.t;
      event.run();
    }
    return { ...this.#out, end: this.#now + 0.6 * S };
  }

  #at(t: number, run: () => void): void {
    this.#events.push({ t: Math.round(t), order: this.#order++, run });
  }

  #pop(): Event | null {
    let best = -1;
    for (let i = 0; i < this.#events.length; i++) {
      const event = this.#events[i];
      const other = best < 0 ? null : this.#events[best];
      if (!other || event.t < other.t || (event.t === other.t && event.order < other.order)) best = i;
    }
    return best < 0 ? null : (this.#events.splice(best, 1)[0] ?? null);
  }

  // The sender.

  #transmit(): void {
    while (this.#next < this.#setup.size) {
      if (this.#next - this.#una >= Math.min(this.#cwnd, WINDOW)) break;
      const again = this.#next < this.#max;
      this.#send(this.#next, again ? 2 : 0);
      this.#next = Math.min(this.#setup.size, this.#next + this.#setup.mss);
    }
    this.#say();
  }

  #send(seq: number, cause: number): void {
    const len = Math.min(this.#setup.mss, this.#setup.size - seq);
    const again = seq < this.#max;
    this.#max = Math.max(this.#max, seq + len);
    const segment: SentSegment = {
      t: this.#now,
      id: this.#nextId++,
      seq,
      len,
      cause,
      arrived: -1,
      drop: -1,
      held: 0,
      again,
    };
    this.#out.segments.push(segment);
    if (!again && this.#sample === null) this.#sample = { seq: seq + len, t: this.#now };
    if (again && this.#sample !== null && seq < this.#sample.seq) this.#sample = null;
    if (this.#timer < 0) this.#startTimer();
    this.#enterLink(segment);
  }

  #startTimer(): void {
    const generation = ++this.#timerGeneration;
    this.#timer = this.#now + this.#rto;
    this.#at(this.#timer, () => {
      if (generation === this.#timerGeneration && this.#una < this.#max) this.#onTimer();
    });
  }

  #timerGeneration = 0;

  #onTimer(): void {
    const out = this.#out;
    const { mss } = this.#setup;
    out.timeouts.push({
      t: this.#now,
      una: this.#una,
      rto: this.#rto,
      backoff: this.#backoff,
      answer: -1,
      answered: -1,
    });
    this.#ssthresh = Math.max(2 * mss, (this.#max - this.#una) / 2);
    this.#cwndBefore = this.#cwnd;
    this.#cwnd = mss;
    this.#backoff++;
    this.#rto = Math.min(60 * S, this.#rto * 2);
    this.#dupAcks = 0;
    this.#recovery = -1;
    this.#afterTimeout = this.#max;
    this.#sample = null;
    this.#timer = -1;
    this.#send(this.#una, 1);
    this.#startTimer();
    this.#next = this.#una + mss;
    if (this.#setup.detects) {
      this.#detecting = 1;
      this.#detectorSays(0, -1);
    }
    this.#say();
  }

  #cwndBefore = 0;

  #detectorSays(rule: number, answer: number): void {
    const timeout = this.#out.timeouts.at(-1);
    this.#out.detector.push({ t: this.#now, ordinal: this.#out.timeouts.length, rule, answer });
    if (timeout && answer >= 0) {
      timeout.answer = answer;
      timeout.answered = this.#now;
    }
  }

  #onAck(
    ack: number,
    sacks: readonly (readonly [number, number])[],
    dsack: readonly [number, number] | null,
  ): void {
    const out = this.#out;
    const { mss } = this.#setup;
    const advances = ack > this.#una;
    out.acks.push({ t: this.#now, ack, edge: ack + WINDOW, dup: advances ? 0 : 1 });
    if (this.#setup.sack) {
      if (dsack) out.sacks.push({ t: this.#now, left: dsack[0], right: dsack[1], dsack: 1 });
      for (const [left, right] of sacks) out.sacks.push({ t: this.#now, left, right, dsack: 0 });
    }
    if (advances) {
      this.#una = ack;
      this.#dupAcks = 0;
      this.#backoff = 0;
      this.#measure(ack);
      this.#next = Math.max(this.#next, ack);
      if (this.#una < this.#max) this.#startTimer();
      else this.#timer = -1;
      this.#grow(ack);
    } else if (this.#una < this.#max) {
      this.#dupAcks++;
    }

    if (this.#detecting === 1) {
      if (advances) {
        this.#detecting = 2;
        this.#detectorSays(1, -1);
        this.#next = this.#max;
        for (let i = 0; i < 2 && this.#next < this.#setup.size; i++) {
          this.#send(this.#next, 5);
          this.#next = Math.min(this.#setup.size, this.#next + mss);
        }
      } else {
        this.#detecting = 0;
        this.#detectorSays(2, 1);
        this.#goBack();
      }
    } else if (this.#detecting === 2) {
      this.#detecting = 0;
      if (advances) {
        this.#detectorSays(3, 0);
        this.#afterTimeout = -1;
        const before = this.#cwndBefore;
        this.#cwnd = this.#ssthresh;
        this.#next = this.#max;
        out.responses.push({ t: this.#now, ordinal: out.timeouts.length, before, after: this.#cwnd });
        this.#transmit();
      } else {
        this.#detectorSays(4, 1);
        this.#goBack();
      }
    } else if (!advances && this.#dupAcks === 3 && this.#recovery < 0 && this.#afterTimeout < 0) {
      this.#fastRetransmit();
    } else {
      if (this.#recovery >= 0 && !advances) this.#cwnd += mss;
      this.#transmit();
    }
    if (this.#una >= this.#recovery) this.#recovery = -1;
    if (this.#una >= this.#afterTimeout) this.#afterTimeout = -1;
    this.#say();
  }

  #goBack(): void {
    this.#next = this.#una;
    this.#cwnd = 2 * this.#setup.mss;
    this.#transmit();
  }

  #fastRetransmit(): void {
    const { mss } = this.#setup;
    this.#out.fast.push({ t: this.#now, una: this.#una });
    this.#ssthresh = Math.max(2 * mss, (this.#max - this.#una) / 2);
    this.#cwnd = this.#ssthresh + 3 * mss;
    this.#recovery = this.#max;
    this.#send(this.#una, 3);
  }

  #grow(ack: number): void {
    const { mss } = this.#setup;
    if (this.#recovery >= 0) {
      if (ack < this.#recovery) this.#send(ack, 4);
      else this.#cwnd = Math.max(2 * mss, this.#ssthresh);
      return;
    }
    const slowStart = this.#ssthresh < 0 || this.#cwnd < this.#ssthresh;
    this.#cwnd += slowStart ? mss : Math.max(1, Math.floor((mss * mss) / this.#cwnd));
  }

  #measure(ack: number): void {
    if (this.#sample === null || ack < this.#sample.seq) return;
    const rtt = this.#now - this.#sample.t;
    this.#sample = null;
    if (this.#srtt < 0) {
      this.#srtt = rtt;
      this.#rttvar = rtt / 2;
    } else {
      this.#rttvar = Math.round(0.75 * this.#rttvar + 0.25 * Math.abs(this.#srtt - rtt));
      this.#srtt = Math.round(0.875 * this.#srtt + 0.125 * rtt);
    }
    this.#rto = Math.max(S, Math.round(this.#srtt + 4 * this.#rttvar));
  }

  #say(): void {
    const phase =
      this.#detecting > 0
        ? 3
        : this.#afterTimeout >= 0
          ? 4
          : this.#recovery >= 0
            ? 2
            : this.#ssthresh < 0 || this.#cwnd < this.#ssthresh
              ? 0
              : 1;
    this.#out.state.push({
      t: this.#now,
      cwnd: Math.round(this.#cwnd),
      ssthresh: Math.round(this.#ssthresh),
      flight: this.#next - this.#una,
      srtt: Math.round(this.#srtt),
      rttvar: Math.round(this.#rttvar),
      rto: Math.round(this.#rto),
      phase,
    });
  }

  // The link.

  #enterLink(segment: SentSegment): void {
    const out = this.#out;
    if (this.#queued >= QUEUE_LIMIT) {
      segment.drop = 0;
      out.drops.push({ t: this.#now, direction: 0, by: 0, id: segment.id });
      return;
    }
    const service = ((segment.len + HEADER) * 8 * S) / RATE;
    const start = Math.max(this.#now, this.#linkFree);
    this.#linkFree = this.#afterHold(start) + service;
    if (start > this.#now) {
      this.#queued++;
      out.queue.push({ t: this.#now, packets: this.#queued });
      this.#at(this.#afterHold(start), () => {
        this.#queued--;
        out.queue.push({ t: this.#now, packets: this.#queued });
      });
    }
    const sent = this.#linkFree;
    const arrival = Math.max(this.#released, this.#afterHold(sent + PROPAGATION));
    const drop = this.#inOutage(sent) ? 2 : this.#random() < this.#setup.lossProbability ? 1 : -1;
    if (drop >= 0) {
      segment.drop = drop;
      this.#at(sent, () => out.drops.push({ t: this.#now, direction: 0, by: drop, id: segment.id }));
      return;
    }
    this.#released = arrival;
    segment.held = Math.round(
      Math.max(0, arrival - sent - PROPAGATION) + Math.max(0, this.#afterHold(start) - start),
    );
    segment.arrived = Math.round(arrival);
    this.#at(arrival, () => this.#receive(segment));
  }

  #afterHold(t: number): number {
    const hold = this.#setup.holds.find(([from, to]) => t >= from * S && t < to * S);
    return hold ? hold[1] * S : t;
  }

  #inOutage(t: number): boolean {
    return this.#setup.outages.some(([from, to]) => t >= from * S && t < to * S);
  }

  // The receiver.

  #receive(segment: SentSegment): void {
    const { mss } = this.#setup;
    const known = segment.seq < this.#expected || this.#received.has(segment.seq);
    this.#received.add(segment.seq);
    while (this.#received.has(this.#expected)) this.#expected += mss;
    const ack = Math.min(this.#expected, this.#setup.size);
    const blocks: [number, number][] = [];
    for (const seq of [...this.#received].filter((s) => s > this.#expected).sort((a, b) => a - b)) {
      const last = blocks.at(-1);
      if (last?.[1] === seq) last[1] = seq + mss;
      else blocks.push([seq, seq + mss]);
    }
    const dsack: [number, number] | null = known ? [segment.seq, segment.seq + segment.len] : null;
    this.#at(this.#now + PROPAGATION + (HEADER * 8 * S) / RATE, () => {
      if (!this.#inOutage(this.#now - PROPAGATION)) this.#onAck(ack, blocks.slice(0, 3), dsack);
      else this.#out.drops.push({ t: this.#now, direction: 1, by: 2, id: this.#nextId++ });
    });
  }
}
