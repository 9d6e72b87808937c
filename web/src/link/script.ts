import { ns, type Ns } from '../lib/brand';
import { isRecord } from '../lib/json';
import { isRead, readDuration, writeDuration } from './quantity';

/** Where something acts: from server to client, from client to server, or both directions at once. */
export type Direction = 'down' | 'up' | 'both';

/** What a script can do to a link (docs/files.md, `[[script]]`). */
export const EVENT_KINDS = [
  'hold',
  'hold-arrivals',
  'drop',
  'rate',
  'delay',
  'loss',
  'queue',
  'late',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something that happens once on a link. */
export interface ScriptEvent {
  /** Tells it from others in an editor; no file has it. */
  readonly id: number;
  readonly kind: EventKind;
  readonly on: Direction;
  /**
   * An instant from the start of the run; or, as files write them, chosen packets (`data segments 9..15`) or a condition of the
   * transport (`on entering recovery`).
   */
  readonly at: Ns | string;
  /** How long; null: chosen packets alone, or a setting that stays. */
  readonly length: Ns | null;
  /** What a setting becomes, or by how much packets come later; null for holds and `drop`. */
  readonly value: string | null;
}

/** An event that has an instant, and so a place on a time axis. */
export interface TimedEvent extends ScriptEvent {
  readonly at: Ns;
}

export const isTimed = (event: ScriptEvent): event is TimedEvent => typeof event.at === 'number';

/** A table of a TOML document, or a part of what the engine resolved. */
export type Table = Readonly<Record<string, unknown>>;

/** Reads one `[[script]]` table; null if it is not one that files allow. */
export function readEvent(table: unknown, id: number): ScriptEvent | null {
  if (!isRecord(table)) return null;
  const doing = readAction(table);
  const on = table['on'] ?? 'both';
  if (doing === null || (on !== 'down' && on !== 'up' && on !== 'both')) return null;
  const { at, for: span } = table;
  if (typeof at !== 'string' || (span !== undefined && typeof span !== 'string')) return null;
  const instant = readDuration(at);
  const length = span === undefined ? null : readDuration(span);
  if (length !== null && !isRead(length)) return null;
  return { id, ...doing, on, at: isRead(instant) ? instant.value : at, length: length?.value ?? null };
}

/** The keys and values of a `[[script]]` table, in the order in which people write them. */
export function writeEvent(event: ScriptEvent): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  if (event.on !== 'both') pairs.push(['on', event.on]);
  pairs.push(['at', typeof event.at === 'number' ? writeDuration(event.at) : event.at]);
  if (event.length !== null) pairs.push(['for', writeDuration(event.length)]);
  if (isSpell(event.kind)) pairs.push(['do', event.kind]);
  else if (event.kind === 'late') pairs.push(['do', 'delay'], ['by', event.value ?? '']);
  else pairs.push([event.kind, event.value ?? '']);
  return pairs;
}

/** When an event is over: null if it has no instant, or if what it sets stays. */
export function endOf(event: ScriptEvent): Ns | null {
  return isTimed(event) && event.length !== null ? ns(event.at + event.length) : null;
}

/** Whether `do` says it in a word, and a length with it. */
const isSpell = (kind: EventKind): boolean => kind === 'hold' || kind === 'hold-arrivals' || kind === 'drop';

function readAction(table: Table): Pick<ScriptEvent, 'kind' | 'value'> | null {
  switch (table['do']) {
    case 'hold':
    case 'hold-arrivals':
    case 'drop':
      return { kind: table['do'], value: null };
    case 'delay':
      return typeof table['by'] === 'string' ? { kind: 'late', value: table['by'] } : null;
    case undefined: {
      const kind = (['rate', 'delay', 'loss', 'queue'] as const).find((key) => key in table);
      if (kind === undefined) return null;
      const value = table[kind];
      // A probability may be a bare number.
      return typeof value === 'string' || typeof value === 'number' ? { kind, value: String(value) } : null;
    }
    default:
      return null;
  }
}
