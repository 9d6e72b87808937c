import type { Schema } from '../../../api/client';

export type Asked = Schema<'RecordingGiven'>;
export type Answer = Schema<'RecordingView'>;
export type Question = Schema<'RecordingQuestionView'>;
export type Column = Schema<'RecordingColumnView'>;
export type Quantity = NonNullable<Column['quantity']>;
export type Figures = Schema<'RecordingFiguresView'>;
export type Side = NonNullable<Schema<'RecordingFileGiven'>['direction']>;

/** A file that was given, and of which direction it tells. */
export interface GivenFile {
  readonly name: string;
  readonly text: string;
  readonly direction: Side;
  /** Null: what it looks like. */
  readonly format: string | null;
}

/** What is chosen and typed; empty where the files are to tell. */
export interface Draft {
  readonly files: readonly GivenFile[];
  readonly columns: Readonly<Partial<Record<Quantity, string>>>;
  readonly units: Readonly<Partial<Record<Quantity, string>>>;
  readonly zeros: 'hold' | 'outage' | null;
  readonly row: string | null;
  readonly downRate: string;
  readonly upRate: string;
  readonly delay: string;
  readonly queue: string;
  readonly from: string;
  readonly to: string;
  readonly rateTimes: string;
  readonly delayTimes: string;
  readonly loop: boolean;
  readonly randomStart: boolean;
  readonly title: string;
}

export const EMPTY: Draft = {
  ...{ files: [], columns: {}, units: {}, zeros: null, row: null },
  ...{ downRate: '', upRate: '', delay: '', queue: '', from: '', to: '', rateTimes: '', delayTimes: '' },
  ...{ loop: true, randomStart: true, title: '' },
};

/** What a column may have, in words, and in which units. */
export const QUANTITIES: Readonly<Record<Quantity, string>> = {
  time: 'Time',
  down: 'Rate down',
  up: 'Rate up',
  delay: 'Delay, one way',
  rtt: 'Round-trip time',
  loss: 'Loss',
};

const RATES = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'B/s', 'kB/s', 'MB/s'];
const TIMES = ['s', 'ms', 'us', 'ns'];
export const UNITS: Readonly<Record<Quantity, readonly string[]>> = {
  ...{ time: TIMES, down: RATES, up: RATES, delay: TIMES, rtt: TIMES },
  loss: ['%', 'share'],
};

/** The numbers of the draft, and what is wrong with each. */
export const NUMBERS = { from: 0, to: null, rateTimes: 1, delayTimes: 1 } as const;

/** What is wrong with a number that was typed; null if nothing is. */
export function numberProblem(key: keyof typeof NUMBERS, text: string): string | null {
  if (text.trim() === '') return null;
  const value = Number(text);
  if (key === 'from') return value >= 0 ? null : 'Seconds from 0, or nothing.';
  return value > 0 ? null : 'A number above 0, or nothing.';
}

/** What the API is asked; null without a file, or while a number is none. */
export function askedOf(draft: Draft): Asked | null {
  const keys = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  if (draft.files.length === 0 || keys.some((key) => numberProblem(key, draft[key]) !== null)) return null;
  const number = (text: string) => (text.trim() === '' ? null : Number(text));
  const text = (given: string) => (given.trim() === '' ? null : given.trim());
  return {
    files: draft.files.map((file) => ({ ...file })),
    columns: draft.columns,
    units: draft.units,
    zeros: draft.zeros,
    row: draft.row,
    down_rate: text(draft.downRate),
    up_rate: text(draft.upRate),
    delay: text(draft.delay),
    queue: text(draft.queue),
    from_s: number(draft.from) ?? NUMBERS.from,
    to_s: number(draft.to),
    rate_times: number(draft.rateTimes) ?? NUMBERS.rateTimes,
    delay_times: number(draft.delayTimes) ?? NUMBERS.delayTimes,
    loop: draft.loop,
    random_start: draft.randomStart,
    title: text(draft.title),
  };
}

/** The draft in which this column has that quantity, or none. */
export function withColumn(draft: Draft, column: Column, quantity: Quantity | null): Draft {
  const columns = { ...draft.columns };
  const units = { ...draft.units };
  const before = column.quantity;
  if (before !== null) {
    columns[before] = '';
    // The unit was that of this column.
    Reflect.deleteProperty(units, before);
  }
  if (quantity !== null) {
    columns[quantity] = column.name;
    Reflect.deleteProperty(units, quantity);
  }
  return { ...draft, columns, units };
}

/** Figures as names and values for people. */
export function figuresInWords(
  figures: Figures,
  rate: (bps: number) => string,
): readonly (readonly [string, string])[] {
  const words: (readonly [string, string])[] = [['Length', `${Number(figures.length_s.toPrecision(6))} s`]];
  for (const [name, way] of [
    ['down', figures.down],
    ['up', figures.up],
  ] as const) {
    if (way.mean_bps !== null) words.push([`Mean rate ${name}`, rate(way.mean_bps)]);
    if (way.without_rate !== null && way.without_rate > 0)
      words.push([`No rate ${name}`, `${Number((way.without_rate * 100).toPrecision(3))} % of the time`]);
  }
  const { down } = figures;
  if (down.delay_ms !== null)
    words.push(['Delay, one way (median)', `${Number(down.delay_ms.toPrecision(4))} ms`]);
  if (down.loss !== null) words.push(['Loss down', `${Number((down.loss * 100).toPrecision(3))} %`]);
  return words;
}
