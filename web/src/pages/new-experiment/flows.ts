import { parse, stringify, type TomlTable, type TomlValue } from 'smol-toml';

import type { Direction } from '../../api/client';
import { isRecord } from '../../lib/json';
import { countOf } from '../../lib/toml-edit';
import { isRead, readDuration, readSize } from '../../link/quantity';
import type { Transfer } from '../../link/transfer';

export type SetKind = 'bulk' | 'requests' | 'constant-rate';

/** A key of a set that is entered as text: a value with its unit, a whole number, or the name of a variant. */
export type SetKey =
  | 'size'
  | 'duration'
  | 'request'
  | 'every'
  | 'count'
  | 'rate'
  | 'packet'
  | 'flows'
  | 'start'
  | 'gap'
  | 'variant';

/** A set of flows that do the same, or packets that cross the link, as it stands in the form: texts may be wrong yet. */
export interface FlowSet {
  readonly kind: SetKind;
  readonly direction: Direction;
  /** A key that is not here is not said. */
  readonly said: Readonly<Partial<Record<SetKey, string>>>;
}

/** A workload that is being made: the first set is what is compared, the others go beside it. */
export interface OwnWorkload {
  /** Null: suggested from the sets. */
  readonly title: string | null;
  readonly name: string | null;
  readonly sets: readonly FlowSet[];
  /** What the form does not show: description, source. */
  readonly rest: TomlTable;
}

export interface SetField {
  readonly key: SetKey;
  readonly label: string;
  readonly about: string;
  readonly placeholder: string;
  /** `count`: a whole number; `text`: a value with its unit; `variant`: a name. */
  readonly entry: 'count' | 'text' | 'variant';
  readonly kinds: readonly SetKind[];
}

export const SET_KINDS: readonly { readonly value: SetKind; readonly label: string }[] = [
  { value: 'bulk', label: 'Data, as fast as possible (bulk)' },
  { value: 'requests', label: 'Requests and responses' },
  { value: 'constant-rate', label: 'Packets at a constant rate, no TCP' },
];

const FLOWS: readonly SetKind[] = ['bulk', 'requests'];

/** All keys of a set but its kind and direction, in the order of the form (docs/files.md, `[[beside]]`). */
export const SET_FIELDS: readonly SetField[] = [
  field('size', 'Size', 'of each one', '100 KiB'),
  field('duration', 'Duration', 'of each flow', '30 s', 'text', ['bulk']),
  field('count', 'Requests', 'made by each flow', '20', 'count', ['requests']),
  field('request', 'Size of a request', 'empty: none is sent', 'none', 'text', ['requests']),
  field('every', 'Every', 'empty: no pause', 'one after another', 'text', ['requests']),
  field('rate', 'Rate', 'of all its packets', '64 kbit/s', 'text', ['constant-rate']),
  field('packet', 'Packet', 'its headers included', '200 B', 'text', ['constant-rate']),
  field('flows', 'Flows', 'how many', '1', 'count'),
  field('start', 'Start', 'of the first', '0 s', 'text', [...FLOWS, 'constant-rate']),
  field('gap', 'Gap', 'from start to start', '0 s'),
  field('variant', 'TCP', 'empty: the one compared', 'as compared', 'variant'),
];

function field(
  key: SetKey,
  label: string,
  about: string,
  placeholder: string,
  entry: SetField['entry'] = 'text',
  kinds = FLOWS,
): SetField {
  return { key, label, about, placeholder, entry, kinds };
}

/** What a new set of a kind says. */
const FRESH: Readonly<Record<SetKind, FlowSet['said']>> = {
  bulk: { size: '100 KiB' },
  requests: { size: '20 kB', request: '200 B', every: '2 s', count: '20' },
  'constant-rate': { rate: '64 kbit/s', packet: '200 B' },
};

export function freshSet(kind: SetKind, direction: Direction = 'down'): FlowSet {
  return { kind, direction, said: FRESH[kind] };
}

export const FRESH_WORKLOAD: OwnWorkload = { title: null, name: null, sets: [freshSet('bulk')], rest: {} };

/** The set as another kind: what both kinds have stays, what is new begins as it would in a new set. */
export function ofKind(set: FlowSet, kind: SetKind): FlowSet {
  if (set.kind === kind) return set;
  const has = SET_FIELDS.filter(({ kinds }) => kinds.includes(kind)).map(({ key }) => key);
  const shared = only(set.said, (key) => has.includes(key) && key !== 'duration');
  return { ...set, kind, said: { ...FRESH[kind], ...shared } };
}

/** The set with another text at a key; empty is not said. */
export function withSaid(set: FlowSet, key: SetKey, text: string): FlowSet {
  const others = only(set.said, (other) => other !== key);
  return { ...set, said: text === '' ? others : { ...set.said, [key]: text } };
}

/** The transfer as one that ends with its data, or after a time. */
export function endingBy(set: FlowSet, end: 'size' | 'duration'): FlowSet {
  const others = only(set.said, (key) => key !== 'size' && key !== 'duration');
  return { ...set, said: { [end]: end === 'size' ? '100 KiB' : '30 s', ...others } };
}

function only(said: FlowSet['said'], wanted: (key: SetKey) => boolean): FlowSet['said'] {
  return Object.fromEntries(Object.entries(said).filter(([key]) => wanted(key as SetKey)));
}

/** The fields of a set where it stands: the first set is compared, so that it has no TCP of its own. */
export function fieldsOf({ kind, said }: FlowSet, first: boolean): readonly SetField[] {
  return SET_FIELDS.filter(
    ({ key, kinds }) =>
      kinds.includes(kind) &&
      !(key === 'variant' && first) &&
      // A transfer ends by its size or by its time.
      !(kind === 'bulk' && key === (said.duration === undefined ? 'duration' : 'size')),
  );
}

/** The key under which the engine speaks of a set's key: `size`, and of the second set `beside[0].size`. */
export function keyAt(set: number, key: string): string {
  return set === 0 ? key : `beside[${set - 1}].${key}`;
}

/** What a workload says of itself, and not of its first set. */
const KEPT: readonly string[] = ['description', 'source'];
const WHOLE: readonly string[] = ['title', 'beside', ...KEPT];

/** Reads a workload's text; null if the form cannot show all of it. */
export function workloadOf(toml: string): OwnWorkload | null {
  let table: TomlTable;
  try {
    table = parse(toml);
  } catch {
    return null;
  }
  const whole = Object.entries(table).filter(([key]) => !WHOLE.includes(key));
  const beside: TomlValue = 'beside' in table ? table['beside'] : [];
  const sets = [Object.fromEntries(whole), ...(Array.isArray(beside) ? beside : [beside])].map(setOf);
  if (sets.includes(null)) return null;
  return {
    title: typeof table['title'] === 'string' ? table['title'] : null,
    name: null,
    sets: sets.filter((set) => set !== null),
    rest: Object.fromEntries(Object.entries(table).filter(([key]) => KEPT.includes(key))),
  };
}

function setOf(value: TomlValue): FlowSet | null {
  if (!isRecord(value)) return null;
  const { kind, direction, ...others } = value as TomlTable;
  const known = SET_KINDS.find(({ value: one }) => one === kind)?.value;
  if (known === undefined || (direction !== 'down' && direction !== 'up')) return null;
  const said: Partial<Record<SetKey, string>> = {};
  for (const [key, one] of Object.entries(others)) {
    const field = SET_FIELDS.find((each) => each.key === key);
    if (!field || (typeof one !== 'string' && typeof one !== 'number')) return null;
    said[field.key] = String(one);
  }
  return { kind: known, direction, said };
}

/** The text of a workload. */
export function workloadText(title: string, { sets, rest }: OwnWorkload): string {
  const [first, ...beside] = sets.map(tableOf);
  return `${stringify({ title, ...rest, ...first, ...(beside.length > 0 && { beside }) }).trimEnd()}\n`;
}

function tableOf({ kind, direction, said }: FlowSet): TomlTable {
  const table: TomlTable = { kind, direction };
  for (const { key, entry } of SET_FIELDS) {
    const text = said[key]?.trim();
    if (text === undefined) continue;
    table[key] = entry === 'count' ? countOf(text) : text;
  }
  return table;
}

/** A set in words: `3 flows of 1 MB down`, `packets at 64 kbit/s up`. */
export function setInWords({ kind, direction, said }: FlowSet): string {
  const count = said.flows?.trim() ?? '1';
  const flows = (one: string, many: string) => (count === '1' ? one : `${count} ${many}`);
  const after = said.start === undefined ? '' : ` from ${said.start.trim()}`;
  const size = said.size?.trim() ?? '';
  switch (kind) {
    case 'bulk':
      return said.duration === undefined
        ? `${flows(`${size} ${direction}`, `flows of ${size} ${direction}`)}${after}`
        : `${flows(`a flow ${direction}`, `flows ${direction}`)} for ${said.duration.trim()}${after}`;
    case 'requests':
      return `${flows('', 'times ')}${said.count?.trim() ?? ''} responses of ${size} ${direction}${after}`;
    case 'constant-rate':
      return `${said.rate?.trim() ?? ''} of packets ${direction}${after}`;
  }
}

/** The one transfer that the sets are, if they are one. */
export function transferOf({ sets: [first, ...others] }: OwnWorkload): Transfer | null {
  const { flows = '1', start = '0 s', size, duration } = first.said;
  const begins = readDuration(start);
  if (others.length > 0 || first.kind !== 'bulk' || flows.trim() !== '1') return null;
  if (!isRead(begins) || begins.value !== 0) return null;
  const octets = size === undefined || duration !== undefined ? { wrong: '' } : readSize(size);
  return isRead(octets) ? { octets: octets.value, way: first.direction } : null;
}
