import { createContext, use } from 'react';
import type { TomlTable, TomlValue } from 'smol-toml';

import type { Problem } from '../../../api/failure';
import { isRecord, record } from '../../../lib/json';
import { isPlain } from '../../../link/fields';
import type { Direction } from '../../../link/script';
import { same } from '../../../lib/toml-edit';
import { textOf, valueAt, withValue, type Path } from '../../../lib/values';

/** The link that a link builds on, with all that it has from others. */
export interface Base {
  readonly name: string;
  readonly table: TomlTable;
}

/** A link as a form changes it. */
export interface LinkForm {
  /** What its own text says. */
  readonly link: TomlTable;
  /** Has the text say something else. `field`: where it was typed. */
  readonly change: (link: TomlTable, field?: string) => void;
  readonly base: Base | null;
  /** What a new link began with; empty of one that was there before. */
  readonly template: TomlTable;
  readonly problems: readonly Problem[];
  /** Names and titles of the links that there are. */
  readonly links: ReadonlyMap<string, string>;
  /** Its own name, if it has one. */
  readonly name: string | null;
}

export const LinkContext = createContext<LinkForm | null>(null);

/** The link that a part of the form belongs to. */
export function useLink() {
  const form = use(LinkContext);
  if (form === null) throw new Error('outside of the form');
  const { link, change, template, problems } = form;
  return {
    ...form,
    at: (path: Path) => valueAt(link, path),
    set: (path: Path, value: TomlValue | undefined, field?: string) =>
      change(withValue(link, path, value), field),
    extend: (base?: string) => change(extending(link, template, base)),
    /** What is wrong with a key itself. */
    message: (key: string) => problems.find((problem) => problem.key === key)?.message,
  };
}

/** The link that builds on another one, or on none: what the template said of its directions and nobody changed does not hide the base. */
export function extending(link: TomlTable, template: TomlTable, base: string | undefined): TomlTable {
  const upon = withValue(link, 'extends', base);
  if (base === undefined) return upon;
  const untouched = Object.entries(record(template['both'])).filter(([key, value]) =>
    same(value, valueAt(link, ['both', key])),
  );
  return untouched.reduce((table, [key]) => withValue(table, ['both', key], undefined), upon);
}

/** What one way of the base has. */
export const ofBase = (base: Base | null, way: 'down' | 'up', key: string): TomlValue | undefined =>
  ({ ...record(base?.table['both']), ...record(base?.table[way]) })[key] as TomlValue | undefined;

/** What a direction of the base has, as a line; of a table a word. */
export function inherited(base: Base | null, place: Direction, key: string): string {
  const line = (value: TomlValue | undefined) => (isRecord(value) ? 'varying' : textOf(value));
  if (place !== 'both') return line(ofBase(base, place, key));
  const [down, up] = [line(ofBase(base, 'down', key)), line(ofBase(base, 'up', key))];
  return down === up ? down : `${down} down, ${up} up`;
}

/** What holds in a direction where its own table does not say it: in grey in its field. */
export function hintOf(
  { link, base }: Pick<LinkForm, 'link' | 'base'>,
  place: Direction,
  key: string,
): string {
  const both = valueAt(link, ['both', key]);
  if (place !== 'both' && both !== undefined) return isPlain(both) ? String(both) : 'varying';
  return inherited(base, place, key);
}
