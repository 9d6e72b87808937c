/** What a link's file can say, as forms have it: fields and tables, their words and ranges, from the schema of files. */

import type { TomlTable, TomlValue } from 'smol-toml';

import schema from '../../../schema/link.json';
import { isRecord } from '../lib/json';
import {
  freshTable,
  partsOf,
  type Definitions,
  type FormTable,
  type TableField,
  type TableKind,
} from '../lib/schema-table';
import { countOf } from '../lib/toml-edit';
import { valueAt } from '../lib/values';
import type { Direction } from './script';

const DEFINED: Definitions = schema.$defs;
const LINK = partsOf(schema, DEFINED);
const PATH = partsOf(DEFINED['PathFile'], DEFINED);

export const PLACES: readonly Direction[] = ['both', 'down', 'up'];

/** Keys of the link as a whole. */
export const LINK_FIELDS = LINK.fields;
/** The tables of a link of which there is one at most, its directions aside. */
export const LINK_TABLES = LINK.tables.filter(
  ({ key }) => !['impairment', 'script', ...PLACES].includes(key),
);
export const IMPAIRMENT = named(LINK.tables, 'impairment');

/** What a direction says in one value each. */
export const PATH_FIELDS = PATH.fields;
/** The tables that a direction can have. */
export const PATH_TABLES = PATH.tables;

/** A field of the link as a whole, by its key. */
export const linkField = (key: string): TableField => named(LINK_FIELDS, key);

function named<T extends { readonly key: string }>(all: readonly T[], key: string): T {
  const found = all.find((one) => one.key === key);
  if (found === undefined) throw new Error(`the schema of links has no ${key}`);
  return found;
}

/** The kind that a table is of, if a form can hold it: all its keys are known, with values that their fields can show. */
export function heldKind({ kinds }: FormTable, table: unknown): TableKind | null {
  if (!isRecord(table)) return null;
  const { kind = '', ...rest } = table;
  const known = kinds.find(({ name }) => name === kind);
  return known !== undefined && holdsAll(known.fields, rest) ? known : null;
}

/** How many rows or numbers of a list a form shows; a longer one is for the text. */
export const MOST_ROWS = 200;
/** How long a text of several lines may be that a form shows. */
const MOST_LETTERS = 20_000;

function holdsAll(fields: readonly TableField[], table: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(table).every(([key, value]) => {
    const field = fields.find((one) => one.key === key);
    return field !== undefined && holds(field, value);
  });
}

function holds({ type, fields = [] }: TableField, value: unknown): boolean {
  switch (type) {
    case 'switch':
      return typeof value === 'boolean';
    case 'rows':
      return (
        Array.isArray(value) &&
        value.length <= MOST_ROWS &&
        value.every((row) => isRecord(row) && holdsAll(fields, row))
      );
    case 'numbers':
      return (
        Array.isArray(value) && value.length <= MOST_ROWS && value.every((one) => typeof one === 'number')
      );
    case 'lines':
      return typeof value === 'string' && value.length <= MOST_LETTERS;
    case 'choice':
      return typeof value === 'string';
    case 'text':
    case 'count':
      return ['string', 'number', 'bigint'].includes(typeof value);
  }
}

/** The table as another kind: what both have stays. */
export function ofKind(table: TomlTable, kind: TableKind): TomlTable {
  const keys = new Set(kind.fields.map(({ key }) => key));
  const shared = Object.entries(table).filter(([key]) => keys.has(key));
  return { ...freshTable(kind), ...(Object.fromEntries(shared) as TomlTable) };
}

/** The value of what a field says now, as it is typed; nothing if it is as it would be anyhow. */
export function valueOf(field: TableField, said: string | boolean): TomlValue | undefined {
  if (typeof said === 'boolean') return said === field.isOn ? undefined : said;
  if (said.trim() === '' && !field.required) return undefined;
  return field.type === 'count' ? countOf(said) : said;
}

/** The table with another value of a field. */
export function withField(table: TomlTable, { key }: TableField, value: TomlValue | undefined): TomlTable {
  if (value !== undefined) return { ...table, [key]: value };
  return Object.fromEntries(Object.entries(table).filter(([one]) => one !== key));
}

/** A table of a direction, where it stands. */
export interface PlacedTable {
  readonly place: Direction;
  readonly table: FormTable;
  /** What the file has there; a form can hold it if `heldKind` says so. */
  readonly said: TomlValue;
}

/** The tables that a link's directions have, in the order of the schema. */
export function tablesIn(link: TomlTable): readonly PlacedTable[] {
  return PATH_TABLES.flatMap((table) =>
    PLACES.flatMap((place) => {
      const said = valueAt(link, [place, table.key]);
      const isTable =
        said !== undefined && !(isPlain(said) && PATH_FIELDS.some(({ key }) => key === table.key));
      return isTable ? [{ place, table, said }] : [];
    }),
  );
}

/** Whether a value can stand in a field of one line. */
export const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** Where a table is not yet. */
export function freePlaces(link: TomlTable, key: string): readonly Direction[] {
  return PLACES.filter((place) => valueAt(link, [place, key]) === undefined);
}

/** A name that no impairment of the link has: its kind, or `loss-2`. */
export function freshImpairment(kind: TableKind, taken: readonly unknown[]): TomlTable {
  let name = kind.name;
  for (let i = 2; taken.includes(name); i++) name = `${kind.name}-${i}`;
  return { ...freshTable(kind), name };
}

/** The keys of all that a form shows of a link, as the engine's messages have them: what is wrong there stands there. */
export function shownKeys(link: TomlTable): (key: string | null | undefined) => boolean {
  const exact = new Set([
    'extends',
    ...LINK_FIELDS.map(({ key }) => key),
    ...PLACES.flatMap((place) => PATH_FIELDS.map(({ key }) => `${place}.${key}`)),
    // Where there is no queue its section says so.
    ...PLACES.map((place) => `${place}.queue`),
  ]);
  const shown: { readonly start: string; readonly kind: TableKind }[] = [];
  const add = (start: string, table: FormTable, said: unknown) => {
    const kind = heldKind(table, said);
    if (kind !== null) shown.push({ start, kind });
  };
  for (const { place, table, said } of tablesIn(link)) add(`${place}.${table.key}`, table, said);
  for (const table of LINK_TABLES) add(table.key, table, link[table.key]);
  const impairments = valueAt(link, 'impairment');
  if (Array.isArray(impairments))
    for (const [i, said] of impairments.entries()) add(`impairment[${i}]`, IMPAIRMENT, said);
  const events = valueAt(link, 'script');
  const count = Array.isArray(events) ? events.length : 0;
  return (key) => {
    if (key === null || key === undefined) return false;
    if (exact.has(key)) return true;
    const event = /^script\[(\d+)\]/.exec(key);
    if (event) return Number(event[1]) < count;
    return shown.some(
      ({ start, kind }) =>
        key === start ||
        key === `${start}.kind` ||
        kind.fields.some((field) => {
          const of = `${start}.${field.key}`;
          return (
            key === of || ((field.type === 'rows' || field.type === 'numbers') && key.startsWith(`${of}[`))
          );
        }),
    );
  };
}
