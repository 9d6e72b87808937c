import type { Ns } from '../lib/brand';

/** What the link's truth says of a data segment. */
export const Verdict = { Original: 0, Necessary: 1, Unnecessary: 2, Unknown: 3 } as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/** What the link's truth says of a timeout or a fast retransmit. */
export const Truth = { Spurious: 0, Genuine: 1, Unknown: 2 } as const;
export type Truth = (typeof Truth)[keyof typeof Truth];

/** The way a packet takes over the link. */
export const Direction = { Down: 0, Up: 1 } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

/** Numbers of one quantity, exact for whole numbers up to 2^53. -1 stands for "none" wherever that can be. */
export type Numbers = Float64Array;

/** Indices into a list of names. -1 stands for "none". */
export type Codes = Int16Array;

/** Which run this is. */
export interface RunIdentity {
  readonly experiment: string;
  readonly variant: string;
  readonly link: string;
  readonly repetition: number;
  readonly seed: string;
}

/** Words for the codes. */
export interface Names {
  readonly cause: readonly string[];
  readonly drop: readonly string[];
  readonly phase: readonly string[];
  readonly rule: readonly string[];
  readonly answer: readonly string[];
  readonly impairment: readonly string[];
  readonly reason: readonly string[];
}

/** Data segments as the data sender sent them, by time. */
export interface DataColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly id: Numbers;
  readonly seq: Numbers;
  readonly len: Numbers;
  readonly cause: Codes;
  readonly verdict: Codes;
  readonly reason: Codes;
  /** When it arrived at the data receiver, or -1. */
  readonly arrived: Numbers;
  /** What dropped it, or -1. */
  readonly drop: Codes;
  /** For how long impairments kept it, ns. */
  readonly held: Numbers;
}

/** Acknowledgements as they arrive at the data sender. */
export interface AckColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly ack: Numbers;
  /** The right edge of the receiver's window. */
  readonly edge: Numbers;
  readonly dup: Numbers;
}

/** SACK blocks as they arrive at the data sender. */
export interface SackColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly left: Numbers;
  readonly right: Numbers;
  readonly dsack: Numbers;
}

export interface TimeoutColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly ordinal: Numbers;
  readonly una: Numbers;
  readonly rto: Numbers;
  readonly backoff: Numbers;
  /** Why the timer was as long, before back-off: into `names.rule`. */
  readonly rule: Codes;
  readonly verdict: Codes;
  readonly reason: Codes;
  readonly answer: Codes;
  readonly answered: Numbers;
}

export interface FastRetransmitColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly una: Numbers;
  readonly verdict: Codes;
}

/** Steps of the detector of spurious timeouts. */
export interface DetectorColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly ordinal: Numbers;
  readonly rule: Codes;
  readonly answer: Codes;
}

export interface ResponseColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly ordinal: Numbers;
  readonly cwndBefore: Numbers;
  readonly cwndAfter: Numbers;
  readonly name: readonly string[];
}

/** The sender's variables after each change: octets and ns, -1 for what has no value yet. */
export interface StateColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly cwnd: Numbers;
  readonly ssthresh: Numbers;
  readonly flight: Numbers;
  readonly srtt: Numbers;
  readonly rttvar: Numbers;
  readonly rto: Numbers;
  /** The timeout before its bounds and back-off; `null` where the series does not have it. */
  readonly estimatedRto: Numbers | null;
  readonly phase: Codes;
}

/** Stretches of time in which the link did something. */
export interface BandColumns {
  readonly length: number;
  readonly from: Numbers;
  readonly to: Numbers;
  readonly direction: Codes;
  readonly name: Codes;
}

export interface DropColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly direction: Codes;
  readonly by: Codes;
  readonly id: Numbers;
}

/** Packets that a queue marked instead of dropping them, when they left it. */
export interface MarkColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly direction: Codes;
  readonly id: Numbers;
}

export interface QueueColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly packets: Numbers;
}

export interface RateColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly direction: Codes;
  readonly bps: Numbers;
}

export interface DelayColumns {
  readonly length: number;
  readonly t: Numbers;
  readonly direction: Codes;
  /** The propagation delay from then on, ns; below zero while each packet draws its own. */
  readonly delay: Numbers;
  /** The same until then. */
  readonly before: Numbers;
}

export interface LinkColumns {
  readonly holds: BandColumns;
  readonly outages: BandColumns;
  readonly bad: BandColumns;
  readonly drops: DropColumns;
  readonly marks: MarkColumns;
  /** By direction. */
  readonly queue: readonly [QueueColumns, QueueColumns];
  readonly rates: RateColumns;
  readonly delays: DelayColumns;
}

/** The tables of a series, by their paths in `series.json`. */
export type TablePath =
  | 'data'
  | 'acks'
  | 'sacks'
  | 'timeouts'
  | 'fast_retransmits'
  | 'detector'
  | 'responses'
  | 'state'
  | 'link.holds'
  | 'link.outages'
  | 'link.bad'
  | 'link.drops'
  | 'link.marks'
  | 'link.queue.down'
  | 'link.queue.up'
  | 'link.rates'
  | 'link.delays';

/** How much of a table a window holds. */
export interface Share {
  /** Rows that the table has in the window. */
  readonly rows: number;
  /** Those that are here; fewer where the rest cannot be told apart in a drawing of the window's width. */
  readonly given: number;
}

/** The part of a run that a series holds: `from` is in it, `to` is not. */
export interface SeriesWindow {
  readonly from: Ns;
  readonly to: Ns;
  /** How wide a drawing of all of it may be before it shows what is left out, pixels. */
  readonly pixels: number;
  readonly shares: ReadonlyMap<TablePath, Share>;
}

/** All that the diagram of one run shows. */
export interface Series {
  /** `null`: the whole run, row by row. */
  readonly window: SeriesWindow | null;
  /** `null`: of captures that tell nothing of it. */
  readonly run: RunIdentity | null;
  /** The way the data take. */
  readonly dataDirection: Direction;
  readonly duration: Ns;
  readonly names: Names;
  readonly data: DataColumns;
  readonly acks: AckColumns;
  readonly sacks: SackColumns;
  readonly timeouts: TimeoutColumns;
  readonly fastRetransmits: FastRetransmitColumns;
  readonly detector: DetectorColumns;
  readonly responses: ResponseColumns;
  readonly state: StateColumns;
  readonly link: LinkColumns;
}
