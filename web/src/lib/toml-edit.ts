import { parse, stringify, type TomlTable, type TomlValue } from 'smol-toml';
import { parseTOML, type AST } from 'toml-eslint-parser';

import { isRecord } from './json';
import { changed, keysOf, quoted, type Change } from './toml';

type Path = readonly (string | number)[];

/** A table with a head of its own, or the part of a text before the first one. */
interface Container {
  /** Where its values are in the text, and where they are among those that are wanted; null if they are not. */
  readonly path: Path;
  readonly wanted: Path | null;
  readonly head: AST.TOMLTable | null;
  readonly entries: readonly AST.TOMLKeyValue[];
}

/** Reads a text. Whole numbers beyond 53 bits are bigints. */
export const parsed = (toml: string): TomlTable => parse(toml, { integersAsBigInt: 'asNeeded' });

/**
 * The text with what is wanted in it. What says it already stays as it was written, and so do all comments but those beside
 * values that go. A text that cannot be edited so, as one with dotted keys may be, is written anew.
 */
export function edited(text: string, wanted: TomlTable): string {
  const toml = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (toml !== '') {
    const result = changed(toml, changesOf(toml, wanted));
    try {
      if (same(parsed(result), wanted)) return result;
    } catch {
      // It is no TOML then.
    }
  }
  return `${stringify(wanted).trimEnd()}\n`;
}

/** Whether two values are the same, in whatever order their keys are. */
export const same = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return { bigint: String(inner) };
    return isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner;
  });
}

function changesOf(toml: string, wanted: TomlTable): Change[] {
  const old = parsed(toml);
  const lineOf = (at: number) => toml.lastIndexOf('\n', at - 1) + 1;
  const endOf = (at: number) => toml.indexOf('\n', at);
  const changes: Change[] = [];
  /** What is put at one place, in order. */
  const put = new Map<number, string>();
  const insert = (at: number, text: string) => put.set(at, (put.get(at) ?? '') + text);
  const containers = containersOf(toml, old, wanted);
  for (const { path, wanted: there, head, entries } of containers) {
    const table = there === null ? undefined : valueAt(wanted, there);
    if (head !== null && !isRecord(table)) {
      const end = endOf((entries.at(-1) ?? head.key).range[1]);
      changes.push({ from: lineOf(head.range[0]), to: end + 1, text: '' });
      continue;
    }
    const kept = new Map<string, AST.TOMLKeyValue>();
    for (const entry of entries) {
      const keys = keysOf(entry.key);
      const value = valueAt(table, keys);
      const [from, to] = entry.value.range;
      if (value === undefined)
        changes.push({ from: lineOf(entry.range[0]), to: endOf(entry.range[1]) + 1, text: '' });
      else {
        kept.set(keys[0], entry);
        if (!same(value, valueAt(old, [...path, ...keys]))) changes.push({ from, to, text: inline(value) });
      }
    }
    const said = valueAt(old, path);
    let last = [...kept.values()].at(-1);
    let anchor = head === null ? undefined : last;
    for (const [key, value] of Object.entries(isRecord(table) ? (table as TomlTable) : {})) {
      anchor = kept.get(key) ?? anchor;
      if (isRecord(said) && key in said) continue;
      if (head === null && isTable(value))
        insert(
          toml.length,
          blocksOf(key, value)
            .map((block) => `\n${block}\n`)
            .join(''),
        );
      else if (anchor) insert(endOf(anchor.range[1]), `\n${lineOfEntry(key, value, anchor)}`);
      else if (head !== null) insert(endOf(head.key.range[1]), `\n${lineOfEntry(key, value)}`);
      else {
        last = entries[0] as AST.TOMLKeyValue | undefined;
        insert(last ? lineOf(last.range[0]) : 0, `${lineOfEntry(key, value, last)}\n`);
      }
    }
  }
  // What has heads of its tables alone, as `[up.rate]`, gets one of its own for other keys.
  for (const [key, value] of Object.entries(wanted)) {
    const said = old[key];
    const heads = containers.filter(({ path }) => path[0] === key);
    if (!isRecord(value) || !isRecord(said) || heads.length === 0) continue;
    if (heads.some(({ path }) => path.length === 1)) continue;
    const fresh = Object.entries(value as TomlTable).filter(([one]) => !(one in said));
    if (fresh.length > 0) insert(toml.length, `\n${blockOf(`[${keyOf(key)}]`, Object.fromEntries(fresh))}\n`);
  }
  // A new table of a list stands behind the one before it, else before the first one with what stands above that.
  for (const [key, value] of Object.entries(wanted)) {
    const first = containers.findIndex(({ path }) => path[0] === key && path.length === 2);
    if (!isTable(value) || !Array.isArray(value) || first < 0) continue;
    const blocks = containers.filter(({ path }) => path[0] === key);
    const there = new Set(blocks.map(({ wanted: at }) => at?.[1]));
    for (const [i, one] of value.entries()) {
      if (there.has(i)) continue;
      const before = blocks.filter(({ wanted: at }) => at !== null && Number(at[1]) < i).at(-1);
      const { entries, head } = before ?? containers[first - 1];
      const at = endOf((entries.at(-1) ?? head?.key)?.range[1] ?? 0);
      insert(at, `\n\n${blocksOf(key, [one])[0]}`);
    }
  }
  return [...changes, ...[...put].map(([at, text]) => ({ from: at, to: at, text }))];
}

function containersOf(toml: string, before: TomlTable, wanted: TomlTable): Container[] {
  const [top] = parseTOML(toml).body;
  const entries = top.body.filter((node) => node.type === 'TOMLKeyValue');
  const tables = top.body.filter((node) => node.type === 'TOMLTable');
  const places = new Map(Object.keys(before).map((key) => [key, aligned(before[key], wanted[key])]));
  return [
    { path: [], wanted: [], head: null, entries },
    ...tables.map((head) => {
      const [key, place, ...below] = head.resolvedKey;
      const there = typeof place === 'number' ? places.get(String(key))?.[place] : place;
      const at = there === null ? null : [key, ...(there === undefined ? [] : [there]), ...below];
      return { path: head.resolvedKey, wanted: at, head, entries: head.body };
    }),
  ];
}

/** Which entry of one list each of another has become; null if it is gone. What has the same `id` is the same. */
function aligned(before: unknown, wanted: unknown): readonly (number | null)[] {
  if (!Array.isArray(before) || !Array.isArray(wanted)) return [];
  if (before.length === wanted.length) return before.map((_, i) => i);
  const free = new Set(wanted.keys());
  return before.map((one: unknown) => {
    const id = isRecord(one) ? one['id'] : undefined;
    const found = [...free].find((i) => {
      const other: unknown = wanted[i];
      return id === undefined ? same(one, other) : isRecord(other) && other['id'] === id;
    });
    if (found === undefined) return null;
    free.delete(found);
    return found;
  });
}

function valueAt(value: unknown, path: Path): TomlValue | undefined {
  for (const key of path) value = (value as Record<string | number, unknown> | undefined)?.[key];
  return value as TomlValue | undefined;
}

/** Whether a value stands under a head of its own. */
function isTable(value: TomlValue): boolean {
  return isRecord(value) || (Array.isArray(value) && value.length > 0 && value.every(isRecord));
}

/** A table under its head, or each one of a list. */
function blocksOf(key: string, value: TomlValue): string[] {
  if (Array.isArray(value)) return value.map((one) => blockOf(`[[${keyOf(key)}]]`, one as TomlTable));
  return [blockOf(`[${keyOf(key)}]`, value as TomlTable)];
}

function blockOf(head: string, table: TomlTable): string {
  const keys = Object.keys(table).map(keyOf);
  const width = Math.max(...keys.map(({ length }) => length));
  const lines = Object.values(table).map((value, i) => `${keys[i].padEnd(width)} = ${inline(value)}`);
  return [head, ...lines].join('\n');
}

/** A line for a key, its sign of equality below that of another. */
function lineOfEntry(key: string, value: TomlValue, beside?: AST.TOMLKeyValue): string {
  const width = beside ? beside.value.range[0] - beside.range[0] - '= '.length : 0;
  return `${keyOf(key).padEnd(width - 1)} = ${inline(value)}`;
}

const keyOf = (key: string) => (/^[\w-]+$/.test(key) ? key : quoted(key));

/** A whole number as it is typed; what is none yet stays the text that it is, and the engine says what is wrong with it. */
export const countOf = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

/** A value on one line; a text of several lines on as many. */
export function inline(value: TomlValue): string {
  if (typeof value === 'string') return value.includes('\n') ? inLines(value) : quoted(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isRecord(value)) return String(value);
  const pairs = Object.entries(value as TomlTable).map(([key, one]) => `${keyOf(key)} = ${inline(one)}`);
  return `{ ${pairs.join(', ')} }`;
}

const inLines = (text: string) => {
  const lines = text.split('\n').map((line) => quoted(line).slice(1, -1));
  return `"""\n${lines.join('\n')}"""`;
};
