/** Tables of files as forms have them: what there is to fill in says the schema of files. */

import type { TomlTable } from 'smol-toml';

import { aboutOf, defaultOf, entryOf, labelOf, type Entry, type KeySchema } from './schema-field';

/** A key of a table, as a form has it. */
export interface TableField {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  readonly required: boolean;
  /** `text`: a value with its unit; `lines`: a text of several lines; `count`: a whole number; `switch`: true or false. */
  readonly type: Entry | 'lines';
  /** One of the things that may be said. */
  readonly example: string;
  /** What holds where it is not said, in words; else that example. */
  readonly hint: string;
  /** Of a switch: whether it is on where it is not said. */
  readonly isOn: boolean;
}

/** What a table can be: a queueing discipline, a way of service. A table that is always the same has one, without a name. */
export interface TableKind {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly fields: readonly TableField[];
}

interface FieldSchema extends KeySchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly examples?: readonly string[];
}

/** A table in the schema: with keys, or one of several that the key `kind` tells apart. */
export interface TableSchema extends KeySchema {
  readonly properties?: Readonly<Record<string, FieldSchema & { readonly const?: string }>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly TableSchema[];
}

/** The kinds of a table; none of what is no table. */
export function kindsOf(table: TableSchema): readonly TableKind[] {
  return table.oneOf?.map(kindOf) ?? (table.properties === undefined ? [] : [kindOf(table)]);
}

function kindOf({ properties = {}, required = [], ...said }: TableSchema): TableKind {
  const name = 'kind' in properties ? (properties['kind'].const ?? '') : '';
  const keys = [...required, ...Object.keys(properties).filter((key) => !required.includes(key))];
  const fields = keys.filter((key) => key !== 'kind').map((key) => fieldOf(key, properties[key], required));
  return { name, label: labelOf(name, said), about: aboutOf(said), fields };
}

function fieldOf(key: string, said: FieldSchema, required: readonly string[]): TableField {
  const usual = defaultOf(said);
  const example = said.examples?.at(0);
  const type = entryOf(said.type);
  return {
    ...{ key, label: labelOf(key, said), about: aboutOf(said), required: required.includes(key) },
    type: type === 'text' && said.format === undefined ? 'lines' : type,
    example: example ?? '',
    hint: usual ?? (example === undefined ? '' : `for example ${example}`),
    isOn: usual === 'true',
  };
}

/** A table of a kind, with an example of what must be said. */
export function freshTable({ name, fields }: TableKind): TomlTable {
  const needed = fields.filter(({ required }) => required).map(({ key, example }) => [key, example] as const);
  return { ...(name === '' ? {} : { kind: name }), ...Object.fromEntries(needed) };
}
