/** What the engine makes of a profile, as rows that a person can read. */

import { list, record, texts as textsOf, type Json } from '../../lib/json';
import { withSamplesInBrief } from '../../link/samples';

/** A line of a table: a key as the file has it, and what it stands for in each column. */
export interface Line {
  readonly key: string;
  readonly values: readonly string[];
}

/** A random process on a link. */
export interface Impairment {
  readonly name: string;
  readonly kind: string;
  readonly where: string;
  readonly details: string;
}

/** What happens once on a link. */
export interface Event {
  readonly at: string;
  readonly lasts: string;
  readonly where: string;
  readonly what: string;
}

const WHERE: Readonly<Record<string, string>> = {
  down: 'down',
  up: 'up',
  each: 'each direction for itself',
  both: 'both directions at once',
};

/** Said elsewhere on the page. */
const ELSEWHERE = new Set(['name', 'title', 'description', 'source', 'summary', 'testbeds', 'not_carried']);
const LONGEST = 140;

/** Both directions of a link beside each other: values are [down, up]. */
export function linkRows(resolved: Json): readonly Line[] {
  const both = record(resolved['both']);
  const down = { ...both, ...record(resolved['down']) };
  const up = { ...both, ...record(resolved['up']) };
  const keys = [...new Set([...Object.keys(down), ...Object.keys(up)])];
  return keys.map((key) => ({ key, values: [valueText(down[key]), valueText(up[key])] }));
}

/** Settings of a variant or workload: tables inside are told key by key, as `timer.minimum_rto`. */
export function settingRows(resolved: Json, below = ''): readonly Line[] {
  return Object.entries(resolved)
    .filter(([key, value]) => value !== null && !(below === '' && ELSEWHERE.has(key)))
    .flatMap(([key, value]) => {
      const inner = record(value);
      return Object.keys(inner).length > 0 && !('kind' in inner)
        ? settingRows(inner, `${below}${key}.`)
        : [{ key: `${below}${key}`, values: [valueText(value)] }];
    });
}

/** The random processes of a link. */
export function impairments(resolved: Json): readonly Impairment[] {
  return list(resolved['impairment'])
    .map(record)
    .map(({ name, kind, on, ...rest }) => ({
      name: valueText(name),
      kind: valueText(kind),
      where: whereText(on),
      details: pairs(rest),
    }));
}

/** The script of a link. */
export function scriptEvents(resolved: Json): readonly Event[] {
  return list(resolved['script'])
    .map(record)
    .map(({ at, for: lasts, on, do: act, ...rest }) => ({
      at: valueText(at),
      lasts: lasts === undefined ? '' : valueText(lasts),
      where: whereText(on ?? 'both'),
      what: [act === undefined ? '' : valueText(act), pairs(rest)].filter((part) => part !== '').join(', '),
    }));
}

/** A value in words: `droptail, limit 50000 B`, `yes`, `12 steps`. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return cut(withSamplesInBrief(value), LONGEST);
  if (Array.isArray(value))
    return value.length > 6 ? `${value.length} of them` : value.map(valueText).join(', ');
  const { kind, ...rest } = record(value);
  return [kind === undefined ? '' : valueText(kind), pairs(rest)].filter((part) => part !== '').join(', ');
}

function pairs(value: Json): string {
  return Object.entries(value)
    .map(([key, one]) =>
      Array.isArray(one) && one.length > 6
        ? `${one.length} ${words(key)}`
        : `${words(key)} ${valueText(one)}`,
    )
    .join(', ');
}

const words = (key: string) => key.replaceAll('_', ' ');

function whereText(on: unknown): string {
  return typeof on === 'string' ? (WHERE[on] ?? on) : '';
}

/** The texts in a list of JSON. What is longer than anybody reads is cut. */
export function texts(value: unknown): readonly string[] {
  return textsOf(value).map((one) => cut(withSamplesInBrief(one), 2 * LONGEST));
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
