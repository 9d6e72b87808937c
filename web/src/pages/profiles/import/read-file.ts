/**
 * Reads what people have recorded of links: Mahimahi's packet delivery traces, rates over time, samples of delays. The
 * rules are the engine's (emulator/link/src/rate/trace.rs, emulator/profile/src/trace.rs), so that what is read here is
 * read there. Every error names its line.
 */

/** Octets of one opportunity, as Mahimahi counts them. */
export const OPPORTUNITY_OCTETS = 1504;
const LATEST_S = 360_000;
const FASTEST_BPS = 1e12;

/** Instants at which one packet could be sent, in ms; the trace begins again after the last. */
export interface Trace {
  readonly kind: 'trace';
  readonly milliseconds: readonly number[];
}

/** From each instant (s) on, that rate (bit/s). */
export interface Steps {
  readonly kind: 'steps';
  readonly atS: readonly number[];
  readonly bps: readonly number[];
  /** What was taken off all instants, because the file does not begin at 0; in s. */
  readonly offS: number;
}

/** Delays to draw from, each alike; in s. */
export interface Delays {
  readonly kind: 'delays';
  readonly seconds: readonly number[];
}

export type Recording = Trace | Steps | Delays;

/** What a file may be. `ms` and `s` are the unit of samples. */
export type Format = 'trace' | 'steps' | 'delays-s' | 'delays-ms';

/** Why a text is not what it is taken for; `line` counts from 1, null if the whole text is meant. */
export interface Wrong {
  readonly line: number | null;
  readonly message: string;
}

export type Read = { readonly recording: Recording } | { readonly wrong: Wrong };

/** Reads a text as what it is said to be. */
export function readRecording(text: string, format: Format): Read {
  try {
    switch (format) {
      case 'trace':
        return { recording: readTrace(text) };
      case 'steps':
        return { recording: readSteps(text) };
      case 'delays-s':
        return { recording: readDelays(text, 1) };
      case 'delays-ms':
        return { recording: readDelays(text, 1e-3) };
    }
  } catch (error) {
    if (error instanceof Refusal) return { wrong: { line: error.line, message: error.message } };
    throw error;
  }
}

/** Endings of the files that Mahimahi comes with. */
const TRACES = /\.(?:trace|up|down)$/i;

/**
 * What a file most likely is: a trace if its name says so; two columns are a rate over time, whole numbers that never
 * fall a trace, others delays.
 */
export function guess(text: string, name: string): Format {
  if (TRACES.test(name)) return 'trace';
  const rows = [...rowsOf(text)].slice(0, 200);
  if (rows.some(({ row }) => cells(row).length > 1)) return 'steps';
  const values = rows.map(({ row }) => Number(row));
  const rises = values.every(
    (value, i) => Number.isInteger(value) && (i === 0 || value >= (values[i - 1] ?? 0)),
  );
  if (rises && values.length > 1) return 'trace';
  // Delays of links are below a minute; numbers beyond that are milliseconds.
  return values.some((value) => value > 60) ? 'delays-ms' : 'delays-s';
}

class Refusal extends Error {
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}

function readTrace(text: string): Trace {
  const milliseconds: number[] = [];
  let before = 0;
  for (const { line, row } of rowsOf(text, false)) {
    if (!/^\d+$/.test(row)) {
      throw new Refusal(line, `“${short(row)}” is not a whole number of milliseconds.`);
    }
    const at = Number(row);
    if (at > LATEST_S * 1000) throw new Refusal(line, `${row} ms is more than 100 hours.`);
    if (at < before) {
      throw new Refusal(line, `${at} ms is earlier than ${before} ms before it; times must not decrease.`);
    }
    before = at;
    milliseconds.push(at);
  }
  if (milliseconds.length === 0) throw new Refusal(null, 'The file is empty: it has no line with a number.');
  if (before === 0) {
    throw new Refusal(null, 'The trace has no duration: its last line must be above 0 ms.');
  }
  return { kind: 'trace', milliseconds };
}

function readSteps(text: string): Steps {
  refuseUnits(
    text,
    /(?:^|[^a-z])([kmg](?:i?b|bit)(?:it)?(?:ps|\/s)?|ms|us)(?:[^a-z]|$)/i,
    'seconds and bits per second',
  );
  const atS: number[] = [];
  const bps: number[] = [];
  let offS = 0;
  for (const { line, row } of rowsOf(text)) {
    const [first = '', second = '', ...more] = cells(row);
    const at = numberOf(first);
    const rate = numberOf(second);
    if (at === null || rate === null || more.length > 0) {
      throw new Refusal(line, `“${short(row)}” is not seconds and bits per second, as in 12.5,28800.`);
    }
    if (at < 0) throw new Refusal(line, `${first} s is before the beginning.`);
    const whole = Math.round(rate);
    if (whole < 1) {
      throw new Refusal(
        line,
        `${second} bit/s is not a rate: it must be at least 1. Where nothing is delivered, use a hold.`,
      );
    }
    if (whole > FASTEST_BPS) throw new Refusal(line, `${second} bit/s is more than 1 Tbit/s.`);
    if (atS.length === 0) offS = at;
    const since = tidy(at - offS);
    const before = atS.at(-1);
    if (before !== undefined && since <= before) {
      throw new Refusal(
        line,
        `${first} s is not after ${tidy(before + offS)} s before it; times must increase.`,
      );
    }
    if (since > LATEST_S) throw new Refusal(line, `${first} s is more than 100 hours after the first.`);
    atS.push(since);
    bps.push(whole);
  }
  if (atS.length === 0)
    throw new Refusal(null, 'The file is empty: it has no line of seconds and bits per second.');
  return { kind: 'steps', atS, bps, offS };
}

function readDelays(text: string, unitS: number): Delays {
  const other =
    unitS === 1
      ? /(?:^|[^a-z])(ms|us|ns|milliseconds)(?:[^a-z]|$)/i
      : /(?:^|[^a-z])(s|us|ns|seconds)(?:[^a-z]|$)/i;
  refuseUnits(text, other, unitS === 1 ? 'seconds' : 'milliseconds');
  const seconds: number[] = [];
  for (const { line, row } of rowsOf(text)) {
    const value = cells(row).length === 1 ? numberOf(row) : null;
    const unit = unitS === 1 ? 'seconds' : 'milliseconds';
    if (value === null) throw new Refusal(line, `“${short(row)}” is not a number of ${unit}.`);
    const delay = tidy(value * unitS);
    // The engine's bound on a delay (docs/files.md, both).
    if (delay < 0 || delay > 600) throw new Refusal(line, `A delay is from 0 to 600 s; this is ${delay} s.`);
    seconds.push(delay);
  }
  if (seconds.length === 0) throw new Refusal(null, 'The file is empty: it has no line with a number.');
  return { kind: 'delays', seconds };
}

/** A heading that names another unit than the one read would be a mistake of a thousand that nobody sees. */
function refuseUnits(text: string, other: RegExp, read: string): void {
  const [first = ''] = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, 1);
  const unit = HEADING.test(first.trim()) ? other.exec(first)?.[1] : undefined;
  if (unit !== undefined) {
    throw new Refusal(
      1,
      `The heading says ${unit}; the numbers are read as ${read}. Convert the numbers and correct the heading.`,
    );
  }
}

const HEADING = /^["\p{L}]/u;

/** The lines that say something, from 1. CSVs may begin with a heading and have comments; traces have neither. */
function* rowsOf(text: string, csv = true): Generator<{ readonly line: number; readonly row: string }> {
  let line = 0;
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    line += 1;
    const row = (csv ? (raw.split('#', 1)[0] ?? '') : raw).trim();
    if (row === '' || (csv && line === 1 && HEADING.test(row))) continue;
    yield { line, row };
  }
}

const cells = (row: string) => row.split(/\s*[,;\t]\s*|\s+/);

function numberOf(text: string): number | null {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** Without what is left of binary fractions below a nanosecond. */
const tidy = (seconds: number) => Math.round(seconds * 1e9) / 1e9;

const short = (row: string) => (row.length > 40 ? `${row.slice(0, 40)} …` : row);
