import type { TomlTable, TomlValue } from 'smol-toml';

import schema from '../../../../schema/experiment.json';
import { isRecord } from '../../lib/json';
import { parsed, same } from '../../lib/toml-edit';
import { claimsOf, EMPTY, INHERITABLE, says, withTable, type Draft, type Inheritable } from './draft';

/** An experiment that is extended, by its name. */
export interface Layer {
  readonly name: string;
  readonly table: TomlTable;
}

/** What an experiment has from those that it extends. */
export interface Inherited {
  /** The nearest first. */
  readonly layers: readonly Layer[];
  /** All that they say together. */
  readonly table: TomlTable;
}

export const NOTHING: Inherited = { layers: [], table: {} };

/** What becomes of a key in a file that extends one that has it too: as the schema of files says under `extending`. */
const RULES: Readonly<
  Partial<Record<string, { readonly description?: string; readonly extending?: string }>>
> = schema.properties;

/** Lays a file over what it extends, as the engine does. */
export function layOver(own: TomlTable, base: TomlTable): TomlTable {
  const left = Object.entries(base).filter(([key]) => {
    const rule = RULES[key]?.extending ?? '';
    const other = /^not with (.*)$/.exec(rule)?.[1];
    return rule !== 'own' && (other === undefined || !(other in own));
  });
  const merged: TomlTable = { ...Object.fromEntries(left), ...own };
  for (const [key, value] of Object.entries(own)) {
    const other = base[key] as TomlValue | undefined;
    const rule = RULES[key]?.extending;
    if (other === undefined) continue;
    if (rule === 'first') merged[key] = [value, other].flat();
    else if (rule === 'id') merged[key] = claimsOver(value, other).map(({ claim }) => claim);
    else merged[key] = valueOver(value, other);
  }
  return merged;
}

function valueOver(own: TomlValue, base: TomlValue): TomlValue {
  if (!isRecord(own) || !isRecord(base) || 'kind' in own) return own;
  const merged = { ...base, ...own } as TomlTable;
  for (const [key, value] of Object.entries(own as TomlTable)) {
    const other = (base as TomlTable)[key] as TomlValue | undefined;
    if (other !== undefined) merged[key] = valueOver(value, other);
  }
  return merged;
}

/** A claim of an experiment, with what is inherited of it, and its place among the experiment's own; null if there is none. */
export interface LaidClaim {
  readonly claim: TomlTable;
  readonly inherited: TomlTable | null;
  readonly own: number | null;
}

/** All claims, in the engine's order: those that are inherited, some of them with changes, then the others. */
export function claimsOver(own: TomlValue | undefined, base: TomlValue | undefined): readonly LaidClaim[] {
  const left = new Map(claimsOf(own).entries());
  const inherited = claimsOf(base).map((below): LaidClaim => {
    const found = [...left].find(([, one]) => 'id' in one && one['id'] === below['id']);
    if (!found) return { claim: below, inherited: below, own: null };
    left.delete(found[0]);
    return { claim: valueOver(found[1], below) as TomlTable, inherited: below, own: found[0] };
  });
  return [...inherited, ...[...left].map(([i, claim]) => ({ claim, inherited: null, own: i }))];
}

/** What the files say together, the nearest first. */
export function inheritedFrom(layers: readonly Layer[]): Inherited {
  const table = layers.reduceRight<TomlTable>((base, { table: own }) => layOver(own, base), {});
  return { layers, table: layOver({}, table) };
}

/** The experiment that a value is inherited from: the nearest that has it. */
export function sourceOf({ layers, table: whole }: Inherited, path: string): string | null {
  if (!says(whole, path)) return null;
  return layers.find(({ table }) => says(table, path))?.name ?? null;
}

/** Where what may be inherited stands in a draft. */
const PLACES: Readonly<Record<Inheritable, readonly (keyof Draft)[]>> = {
  link: ['links', 'events', 'replay'],
  variants: ['variants'],
  'live.variants': ['live'],
  workload: ['workload', 'ownWorkload', 'commands'],
  flows: ['flows'],
  repetitions: ['repetitions'],
  seed: ['seed'],
};

/** The draft with what it inherits in the places for it; `rest` stays its own. */
export function withInherited(draft: Draft, { table }: Inherited): Draft {
  if (draft.inherits.length === 0) return draft;
  const from = withTable({ ...EMPTY, workload: '' }, table);
  const places = draft.inherits.flatMap((key) => PLACES[key]).map((place) => [place, from[place]] as const);
  const whole: Draft = { ...draft, ...Object.fromEntries(places) };
  // Of commands every variant is the kernel's.
  if (!whole.commands || whole.variants.length === 0) return whole;
  return { ...whole, variants: [], live: [...whole.variants, ...whole.live] };
}

/** Changes of what is on show as changes of the draft: what is changed is its own from now on. */
export function ownChanges(draft: Draft, whole: Draft, changes: Partial<Draft>): Partial<Draft> {
  if ('inherits' in changes) return changes;
  const touched = (key: Inheritable) => PLACES[key].some((place) => place in changes);
  const changed = draft.inherits.filter(
    // Of commands all variants are in one list.
    (key) => touched(key) || (key === 'variants' && whole.commands !== null && touched('live.variants')),
  );
  const places = changed.flatMap((key) => PLACES[key]).map((place) => [place, whole[place]] as const);
  const inherits = draft.inherits.filter((key) => !changed.includes(key));
  return { ...Object.fromEntries(places), ...changes, inherits };
}

/** The draft extending another experiment: what it does not say is then inherited. Null: it extends none. */
export function extending(draft: Draft, base: string | null): Partial<Draft> {
  if (base === null) return { extends: null, inherits: draft.rest['base'] === true ? draft.inherits : [] };
  return draft.extends === null ? { extends: base, inherits: unsaid(draft) } : { extends: base };
}

/** What neither its text says nor anybody has chosen. */
function unsaid(draft: Draft): readonly Inheritable[] {
  const table = draft.source === '' ? {} : parsed(draft.source);
  const first = draft.source === '' ? EMPTY : withTable(EMPTY, table);
  return INHERITABLE.filter(
    (key) => !says(table, key) && PLACES[key].every((place) => same(draft[place], first[place])),
  );
}

/** The draft with everything that it inherits as its own. */
export function detached(draft: Draft, whole: Draft, { table }: Inherited): Partial<Draft> {
  return { ...whole, rest: layOver(draft.rest, withTable(EMPTY, table).rest), extends: null, inherits: [] };
}
