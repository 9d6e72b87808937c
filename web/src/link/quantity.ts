import { ns, type Ns } from '../lib/brand';

/** What a text stands for, or what is wrong with it and what would be right. */
export type Reading<T> = { readonly value: T } | { readonly wrong: string };

/** Whether a reading is good. */
export const isRead = <T>(reading: Reading<T>): reading is { readonly value: T } => 'value' in reading;

/** Nanoseconds in each unit of time that files know (docs/files.md, Ways of writing), the largest first. */
const TIME_UNITS = [
  ['h', 3600e9],
  ['min', 60e9],
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['ns', 1],
] as const;

const RATE_UNITS = { 'bit/s': 1, 'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9 } as const;

const SIZE_UNITS = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

const NUMBER = /^(\d+(?:\.\d+)?)\s*(.*)$/;

/** Reads `3 s`, `250 ms`, `2 min`. */
export function readDuration(text: string): Reading<Ns> {
  const [amount, name] = parts(text);
  const unit = TIME_UNITS.find(([known]) => known === name);
  if (amount === null || unit === undefined) return { wrong: withUnit(text, '3 s', '250 ms') };
  return { value: ns(Math.round(amount * unit[1])) };
}

/** Writes a span in the largest unit of s, ms, us, ns that needs at most three decimals: `3.5 s`, `250 ms`. */
export function writeDuration(span: Ns): string {
  if (span === 0) return '0 s';
  // Minutes and hours would be shorter, and harder to compare.
  for (const [name, size] of TIME_UNITS.slice(2)) {
    const thousandths = (span / size) * 1000;
    if (span >= size && Math.abs(thousandths - Math.round(thousandths)) < 1e-6)
      return `${Math.round(thousandths) / 1000} ${name}`;
  }
  return `${Math.round(span)} ns`;
}

/** Reads `28.8 kbit/s` to bit/s. */
export function readRate(text: string): Reading<number> {
  const value = inUnits(text, RATE_UNITS);
  if (value === null) return { wrong: withUnit(text, '28.8 kbit/s', '2 Mbit/s') };
  return value >= 1 ? { value } : { wrong: 'For a link that sends nothing, use an outage or a hold.' };
}

/** Reads `100 KiB`, `5 MB` to octets. */
export function readSize(text: string): Reading<number> {
  const value = inUnits(text, SIZE_UNITS);
  return value === null ? { wrong: withUnit(text, '100 KiB', '5 MB') } : { value };
}

/** Reads `2 %`, `0.02`, `1e-5`. */
export function readProbability(text: string): Reading<number> {
  const percent = /^([\d.]+(?:e-?\d+)?)\s*%$/.exec(text.trim());
  const value = percent ? Number(percent[1]) / 100 : text.trim() === '' ? NaN : Number(text);
  return value >= 0 && value <= 1
    ? { value }
    : { wrong: 'A probability is from 0 to 1; write it as 2 % or 0.02.' };
}

/** Reads the limit of a queue: `7 packets`, `64 kB`, `unlimited`. Gives the text itself, as files have it. */
export function readQueueLimit(text: string): Reading<string> {
  const trimmed = text.trim();
  const good =
    trimmed === 'unlimited' ||
    /^[1-9]\d* packets?$/.test(trimmed) ||
    (inUnits(trimmed, SIZE_UNITS) ?? 0) >= 1;
  return good ? { value: trimmed } : { wrong: withUnit(text, '7 packets', '64 kB') };
}

function inUnits(text: string, units: Readonly<Record<string, number>>): number | null {
  const [amount, name] = parts(text);
  const size = Object.hasOwn(units, name) ? units[name] : undefined;
  return amount === null || size === undefined ? null : amount * size;
}

function parts(text: string): readonly [number | null, string] {
  const match = NUMBER.exec(text.trim());
  return match ? [Number(match[1]), match[2]] : [null, ''];
}

function withUnit(text: string, ...examples: readonly [string, string]): string {
  const right = examples.join(' or ');
  if (text.trim() === '') return `Required: write it as ${right}.`;
  return /^\s*\d+(\.\d+)?\s*$/.test(text)
    ? `${text.trim()} has no unit; write it as ${right}.`
    : `Not understood; write it as ${right}.`;
}
