/** Tables of files as forms have them: what there is to fill in says the schema of files. */

import type { TomlTable, TomlValue } from 'smol-toml';

import { aboutOf, defaultOf, entryOf, labelOf, type Entry, type KeySchema } from './schema-field';

/** One of the words that a key may have. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly about: string;
}

/** A key of a table, as a form has it. */
export interface TableField {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  readonly required: boolean;
  /**
   * `text`: a value with its unit, or a word; `lines`: a text of several lines; `count`: a whole number; `switch`: true or
   * false; `choice`: one of `choices`; `rows`: a list of tables with `fields`; `numbers`: a list of whole numbers.
   */
  readonly type: Entry | 'lines' | 'choice' | 'rows' | 'numbers';
  /** One of the things that may be said. */
  readonly example: string;
  /** What holds where it is not said, in words; else that example. */
  readonly hint: string;
  /** Of a switch: whether it is on where it is not said. */
  readonly isOn: boolean;
  readonly choices?: readonly Choice[];
  readonly fields?: readonly TableField[];
}

/** What a table can be: a queueing discipline, a way of service. A table that is always the same has one, without a name. */
export interface TableKind {
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly fields: readonly TableField[];
}

/** A table that a file can have, or several of it. */
export interface FormTable {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  readonly kinds: readonly TableKind[];
}

interface FieldSchema extends KeySchema {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly examples?: readonly string[];
  readonly contentMediaType?: string;
  readonly items?: FieldSchema;
  readonly $ref?: string;
}

/** A table in the schema: with keys, or one of several that the key `kind` tells apart. */
export interface TableSchema extends FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly TableSchema[];
  /** A text, or a table. */
  readonly anyOf?: readonly FieldSchema[];
}

/** What a schema names, by its name. */
export type Definitions = Readonly<Record<string, TableSchema>>;

const NONE: Definitions = {};

/** What a key refers to, if it refers to something. */
function referred({ $ref }: FieldSchema, all: Definitions): TableSchema | undefined {
  return $ref === undefined ? undefined : all[$ref.replace('#/$defs/', '')];
}

/** The kinds of a table; none of what is no table. Keys that all kinds have come first. */
export function kindsOf(table: TableSchema, all: Definitions = NONE): readonly TableKind[] {
  const { oneOf, properties } = table;
  if (oneOf === undefined) return properties === undefined ? [] : [kindOf(table, all)];
  if (oneOf.some((one) => one.properties === undefined)) return [];
  const shared = properties === undefined ? [] : kindOf(table, all).fields;
  return oneOf.map((one) => {
    const kind = kindOf(one, all);
    return { ...kind, fields: [...shared, ...kind.fields] };
  });
}

/** The keys of a table that a form has a field for, and those that are tables, or lists of tables, themselves. */
export function partsOf(
  table: TableSchema,
  all: Definitions,
): { readonly fields: readonly TableField[]; readonly tables: readonly FormTable[] } {
  const { properties = {}, required = [] } = table;
  const fields: TableField[] = [];
  const tables: FormTable[] = [];
  for (const [key, said] of Object.entries(properties)) {
    const either = referred(said, all)?.anyOf;
    const text = either?.find(({ $ref }) => $ref === undefined);
    const varying = either?.find(({ $ref }) => $ref !== undefined);
    const kinds = kindsOf(referred(varying ?? said.items ?? said, all) ?? {}, all);
    if (kinds.length > 0)
      tables.push({
        key,
        label: labelOf(key, { ...said, ...varying }),
        about: aboutOf(varying ?? said),
        kinds,
      });
    if (kinds.length === 0 || text !== undefined)
      fields.push(fieldOf(key, { ...text, ...said }, required, all));
  }
  return { fields, tables };
}

function kindOf({ properties = {}, required = [], ...said }: TableSchema, all: Definitions): TableKind {
  const name = 'kind' in properties ? (properties['kind'].const ?? '') : '';
  const keys = [...required, ...Object.keys(properties).filter((key) => !required.includes(key))];
  const fields = keys
    .filter((key) => key !== 'kind' && key in properties)
    .map((key) => fieldOf(key, properties[key], required, all));
  return { name, label: labelOf(name.replaceAll('-', ' '), said), about: aboutOf(said), fields };
}

function fieldOf(key: string, said: FieldSchema, required: readonly string[], all: Definitions): TableField {
  const usual = defaultOf(said);
  const example = said.examples?.at(0);
  const choices = choicesOf(referred(said, all));
  const rows = kindsOf(referred(said.items ?? {}, all) ?? {}, all).at(0)?.fields;
  return {
    ...{ key, label: labelOf(key, said), about: aboutOf(said), required: required.includes(key) },
    type: rows ? 'rows' : choices ? 'choice' : typeOf(said),
    example: example ?? choices?.at(0)?.value ?? '',
    hint: usual ?? (example === undefined ? '' : `for example ${example}`),
    isOn: usual === 'true',
    ...(choices && { choices }),
    ...(rows && { fields: rows }),
  };
}

function typeOf({ type, contentMediaType }: FieldSchema): TableField['type'] {
  if (type === 'array') return 'numbers';
  return contentMediaType === undefined ? entryOf(type) : 'lines';
}

function choicesOf(named: TableSchema | undefined): readonly Choice[] | undefined {
  const words = named?.oneOf?.filter((one) => one.const !== undefined);
  if (words === undefined || words.length === 0) return undefined;
  return words.map(({ const: value = '', ...said }) => ({
    value,
    label: labelOf(value.replaceAll('-', ' '), said),
    about: aboutOf(said),
  }));
}

/** A table of a kind, with an example of what must be said. */
export function freshTable({ name, fields }: TableKind): TomlTable {
  const needed = fields.filter(({ required }) => required);
  return {
    ...(name === '' ? {} : { kind: name }),
    ...Object.fromEntries(needed.map((field) => [field.key, exampleOf(field)])),
  };
}

/** A first row of a list, or another one. */
export const freshRow = (fields: readonly TableField[]): TomlTable =>
  Object.fromEntries(fields.map((field) => [field.key, exampleOf(field)]));

function exampleOf({ type, example }: TableField): TomlValue {
  return type === 'count' ? 1 : example;
}
