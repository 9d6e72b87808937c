/** The tables of a link's directions (queue, service and the like) as forms: what there is says the schema of files. */

import type { TomlTable } from 'smol-toml';

import schema from '../../../schema/link.json';
import { isRecord } from '../lib/json';
import { aboutOf, labelOf, type KeySchema } from '../lib/schema-field';
import { freshTable, kindsOf, type TableField, type TableKind, type TableSchema } from '../lib/schema-table';
import { countOf, edited, parsed } from '../lib/toml-edit';
import type { Direction } from './script';

/** A table that a direction can have. */
export interface PathTable {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  readonly kinds: readonly TableKind[];
}

interface KeyOfPath extends KeySchema {
  readonly $ref?: string;
}

const DEFINED: Readonly<Record<string, TableSchema>> = schema.$defs;
const KEYS: Readonly<Record<string, KeyOfPath>> = schema.$defs.PathFile.properties;

/** The tables that a direction can have. */
export const PATH_TABLES: readonly PathTable[] = Object.entries(KEYS).flatMap(([key, said]) => {
  const table: TableSchema = said.$ref === undefined ? {} : DEFINED[said.$ref.replace('#/$defs/', '')];
  const kinds = kindsOf(table);
  return kinds.length === 0 ? [] : [{ key, label: labelOf(key, said), about: aboutOf(said), kinds }];
});

/** The kind that a table is of, if a form can hold it: all its keys are known, and none is a table or a list. */
export function heldKind({ kinds }: PathTable, table: unknown): TableKind | null {
  if (!isRecord(table)) return null;
  const { kind = '', ...rest } = table;
  const known = kinds.find(({ name }) => name === kind);
  const holds = ([key, value]: [string, unknown]) => {
    const type = known?.fields.find((field) => field.key === key)?.type;
    return type === 'switch'
      ? typeof value === 'boolean'
      : type !== undefined && ['string', 'number', 'bigint'].includes(typeof value);
  };
  return known !== undefined && Object.entries(rest).every(holds) ? known : null;
}

/** The table as another kind: what both have stays. */
export function ofKind(table: TomlTable, kind: TableKind): TomlTable {
  const keys = new Set(kind.fields.map(({ key }) => key));
  const shared = Object.entries(table).filter(([key]) => keys.has(key));
  return { ...freshTable(kind), ...(Object.fromEntries(shared) as TomlTable) };
}

/** The table with what a field says now: a switch or a text as it is typed. What is as it would be anyhow goes. */
export function withField(table: TomlTable, field: TableField, said: string | boolean): TomlTable {
  if (typeof said === 'boolean' ? said === field.isOn : said.trim() === '' && !field.required)
    return without(table, field.key);
  const value = typeof said === 'string' && field.type === 'count' ? countOf(said) : said;
  return { ...table, [field.key]: value };
}

const without = (table: TomlTable, key: string): TomlTable =>
  Object.fromEntries(Object.entries(table).filter(([one]) => one !== key));

/** A table in a link's text: where it stands, and what it says. */
export interface PlacedTable {
  readonly place: Direction;
  readonly table: PathTable;
  readonly said: TomlTable;
}

/** What a form can change in a link's text; null if the text is no TOML. */
export interface PathTables {
  readonly tables: readonly PlacedTable[];
  /** Tables that are not there, in directions that are. */
  readonly absent: readonly (readonly [Direction, PathTable])[];
}

export function tablesIn(toml: string): PathTables | null {
  const link = linkOf(toml);
  if (link === null) return null;
  const tables: PlacedTable[] = [];
  const absent: [Direction, PathTable][] = [];
  for (const place of ['both', 'down', 'up'] as const) {
    const direction = link[place];
    if (!isRecord(direction)) continue;
    for (const table of PATH_TABLES) {
      const said = direction[table.key];
      if (!(table.key in direction)) absent.push([place, table]);
      else if (heldKind(table, said) !== null) tables.push({ place, table, said: said as TomlTable });
    }
  }
  return { tables, absent };
}

/** The text with another table in a place, or without it; all else, comments too, stays as it is. */
export function withTable(toml: string, place: Direction, key: string, table: TomlTable | null): string {
  const link = linkOf(toml);
  const direction = link?.[place];
  if (!isRecord(link) || !isRecord(direction)) return toml;
  const wanted = table === null ? without(direction, key) : { ...direction, [key]: table };
  return edited(toml, { ...link, [place]: wanted });
}

function linkOf(toml: string): TomlTable | null {
  try {
    return parsed(toml);
  } catch {
    return null;
  }
}

/** What is wrong with a table's fields, by their keys; what is wrong with all of it has the key ''. */
export function tableProblems(
  problems: readonly { readonly key?: string | null; readonly message: string }[],
  place: Direction | null,
  table: string,
): Readonly<Record<string, string>> {
  const wrong: Record<string, string> = {};
  for (const { key, message } of problems) {
    const [of, named, field = '', ...deeper] = (key ?? '').split('.');
    if (named !== table || deeper.length > 0 || (place !== null && of !== place)) continue;
    if (!(field in wrong)) wrong[field] = message;
  }
  return wrong;
}
