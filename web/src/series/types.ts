import type { Engine } from '../contract/types';
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

/** Words for the codes. */
export type Names = Required<Engine<'SeriesNames'>>;

/**
 * What a column holds: times, ascending or in any order, of which every table has one; numbers; texts; or codes, of a
 * list of names or below a number.
 */
export type Column = 'times' | 'times in any order' | 'numbers' | 'texts' | keyof Names | number;

/** The columns of every table, by the names that the engine gives them. */
type Spec<T> = {
  readonly [Key in keyof T]: T[Key] extends readonly unknown[] ? Column : Spec<T[Key]>;
};

const SPELLS = { from: 'times in any order', to: 'numbers', direction: 2, name: 'impairment' } as const;
const QUEUE = { t: 'times', packets: 'numbers' } as const;

/** All tables of a series. */
export const TABLES = {
  data: {
    t: 'times',
    id: 'numbers',
    seq: 'numbers',
    len: 'numbers',
    cause: 'cause',
    verdict: 'verdict',
    reason: 'reason',
    arrived: 'numbers',
    drop: 'drop',
    held: 'numbers',
  },
  acks: { t: 'times', ack: 'numbers', edge: 'numbers', dup: 'numbers' },
  sacks: { t: 'times', left: 'numbers', right: 'numbers', dsack: 'numbers' },
  timeouts: {
    t: 'times',
    ordinal: 'numbers',
    una: 'numbers',
    rto: 'numbers',
    backoff: 'numbers',
    rule: 'rule',
    verdict: 3,
    reason: 'reason',
    answer: 'answer',
    answered: 'numbers',
  },
  fast_retransmits: { t: 'times', una: 'numbers', verdict: 3 },
  detector: { t: 'times', ordinal: 'numbers', rule: 'rule', answer: 'answer' },
  responses: { t: 'times', ordinal: 'numbers', cwnd_before: 'numbers', cwnd_after: 'numbers', name: 'texts' },
  state: {
    t: 'times',
    cwnd: 'numbers',
    ssthresh: 'numbers',
    flight: 'numbers',
    srtt: 'numbers',
    rttvar: 'numbers',
    rto: 'numbers',
    estimated_rto: 'numbers',
    phase: 'phase',
  },
  limits: { t: 'times', by: 'limit' },
  link: {
    holds: SPELLS,
    outages: SPELLS,
    bad: SPELLS,
    drops: { t: 'times', direction: 2, by: 'drop', id: 'numbers' },
    marks: { t: 'times', direction: 2, id: 'numbers' },
    queue: { down: QUEUE, up: QUEUE },
    rates: { t: 'times', direction: 2, bps: 'numbers' },
    delays: { t: 'times', direction: 2, delay: 'numbers', delay_before: 'numbers' },
  },
} as const satisfies Spec<
  Required<Omit<Engine<'Series'>, 'version' | 'run' | 'data_sender' | 'duration_ns' | 'names' | 'rtt'>>
>;

/** Tables that may be absent, as of a sender that does not tell: they have no rows then. */
export const OPTIONAL_TABLES: ReadonlySet<string> = new Set<TablePath>(['limits']);

type Decoded<C> = C extends 'texts'
  ? readonly string[]
  : C extends 'times' | 'times in any order' | 'numbers'
    ? Numbers
    : Codes;

/** A table, or what has several, with its columns as they are drawn from; schema/engine.json says what each means. */
type Decode<T> = T extends { readonly t: Column } | { readonly from: Column }
  ? { readonly length: number } & { readonly [Key in keyof T]: Decoded<T[Key]> }
  : { readonly [Key in keyof T]: Decode<T[Key]> };

type Paths<T, Before extends string = ''> = {
  [Key in keyof T & string]: T[Key] extends { readonly t: Column } | { readonly from: Column }
    ? `${Before}${Key}`
    : Paths<T[Key], `${Before}${Key}.`>;
}[keyof T & string];

export type Tables = Decode<typeof TABLES>;

/** The tables of a series, by their paths in `series.json`. */
export type TablePath = Paths<typeof TABLES>;

/** Stretches of time in which the link did something. */
export type BandColumns = Tables['link']['holds'];

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
export interface Series extends Tables {
  /** `null`: the whole run, row by row. */
  readonly window: SeriesWindow | null;
  /** `null`: of captures that tell nothing of it. */
  readonly run: Engine<'SeriesRun'> | null;
  /** The way the data take. */
  readonly dataDirection: Direction;
  readonly duration: Ns;
  readonly names: Names;
}

/** Makes something of each table, in the shape in which a series has them. */
export function mapTables(
  make: (path: TablePath, columns: Readonly<Record<string, Column>>) => unknown,
): unknown {
  const walk = (spec: object, before: string): unknown =>
    Object.fromEntries(
      Object.entries(spec).map(([key, part]: [string, object]) => [
        key,
        't' in part || 'from' in part
          ? make(`${before}${key}` as TablePath, part as Readonly<Record<string, Column>>)
          : walk(part, `${before}${key}.`),
      ]),
    );
  return walk(TABLES, '');
}
