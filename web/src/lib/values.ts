/** Values within tables of TOML, by their paths of keys. */

import type { TomlTable, TomlValue } from 'smol-toml';

import { isRecord } from './json';

/** Keys from the top, as `['impairment', 0, 'every']`; a text has them with dots between, and no places in lists. */
export type Path = string | readonly (string | number)[];

const keysOf = (path: Path) => (typeof path === 'string' ? path.split('.') : path);

export function valueAt(table: TomlTable, path: Path): TomlValue | undefined {
  let value: TomlValue | undefined = table;
  for (const key of keysOf(path)) {
    if (typeof key === 'number') value = Array.isArray(value) ? value[key] : undefined;
    else value = isRecord(value) ? (value as TomlTable)[key] : undefined;
  }
  return value;
}

/** The table with another value at a path. Undefined takes it away, and tables and lists that are empty then. */
export function withValue(table: TomlTable, path: Path, value: TomlValue | undefined): TomlTable {
  return (changedValue(table, keysOf(path), value) ?? {}) as TomlTable;
}

function changedValue(
  old: TomlValue | undefined,
  [key, ...below]: readonly (string | number)[],
  value: TomlValue | undefined,
): TomlValue | undefined {
  const inner = (there: TomlValue | undefined) =>
    below.length === 0 ? value : changedValue(there, below, value);
  if (typeof key === 'number') {
    const list: TomlValue[] = Array.isArray(old) ? [...old] : [];
    const now = inner(list.at(key));
    list.splice(key, 1, ...(now === undefined ? [] : [now]));
    return list.length === 0 ? undefined : list;
  }
  const { [key]: there, ...others } = (isRecord(old) ? old : {}) as TomlTable;
  const now = inner(there);
  if (now !== undefined) return isRecord(old) ? { ...(old as TomlTable), [key]: now } : { [key]: now };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** A path as messages of the engine have it: `impairment[0].every`. */
export const pathText = (path: Path): string =>
  keysOf(path)
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${key}`))
    .join('');

/** A word or a number as it is typed; anything else is none. */
export function textOf(value: TomlValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
