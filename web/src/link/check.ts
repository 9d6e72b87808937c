import type { Ns } from '../lib/brand';
import { KINDS } from './kinds';
import { isRead, readDuration, type Reading } from './quantity';
import { isTimed, type Direction, type EventKind, type ScriptEvent } from './script';

/** Bounds of docs/files.md, `[[script]]`. */
export const LEAST_LENGTH = 1e6 as Ns;
export const MOST_LENGTH = (10 * 3600e9) as Ns;
export const LATEST = (100 * 3600e9) as Ns;

/** An event as it stands in a form: texts that may be wrong yet. */
export interface EventForm {
  readonly kind: EventKind;
  readonly on: Direction;
  readonly at: string;
  readonly length: string;
  readonly value: string;
}

/** What is wrong with each field. */
export type FormErrors = Partial<Record<'at' | 'length' | 'value', string>>;

const ORDINALS = 'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth';
const PACKETS = new RegExp(
  `^(packet [1-9]\\d*|byte \\d+|data segment [1-9]\\d*|data segments [1-9]\\d*\\.\\.[1-9]\\d*` +
    `|(${ORDINALS}) retransmission of (byte \\d+|segment [1-9]\\d*))$`,
);

/** A condition of the transport; `windlull check` knows the numbers' bounds. */
const TRANSPORT = new RegExp(
  '^(after byte \\d+|retransmission [1-9]\\d*|\\d+(\\.\\d{1,3})? RTO after the last transmission' +
    '|when the window first exceeds [1-9]\\d* segments?|on entering recovery)$',
);

/** Reads a beginning: an instant, chosen packets, or a condition of the transport (docs/files.md, beginning). */
export function readBeginning(text: string): Reading<Ns | string> {
  const packets = text.trim().replace(/\s+/g, ' ');
  if (TRANSPORT.test(packets)) return { value: packets };
  if (PACKETS.test(packets)) {
    const range = /(\d+)\.\.(\d+)/.exec(packets);
    return range && Number(range[1]) > Number(range[2])
      ? { wrong: `${range[1]} is above ${range[2]}; write the smaller one first.` }
      : { value: packets };
  }
  const instant = readDuration(text);
  if (isRead(instant)) {
    return instant.value <= LATEST ? instant : { wrong: 'At most 100 h from the start of the run.' };
  }
  return {
    wrong:
      'Write a time such as 10 s, packets such as data segment 12 or packet 7, or a condition of the transport, such as on entering recovery.',
  };
}

/** Reads what stands in a form; `errors` is empty if there is an event. */
export function readForm(form: EventForm, id: number): { event: ScriptEvent | null; errors: FormErrors } {
  const kind = KINDS[form.kind];
  const errors: FormErrors = {};
  const at = readBeginning(form.at);
  if (!isRead(at)) errors.at = at.wrong;
  const timed = isRead(at) && (typeof at.value === 'number' || TRANSPORT.test(at.value));
  if (isRead(at) && timed && kind.begins === 'at packets')
    errors.at = 'Choose the packets that are late, such as data segment 9; to delay all packets, use a hold.';
  if (isRead(at) && !timed && kind.begins === 'at instants')
    errors.at = 'A setting changes at a time such as 10 s, not at packets.';
  const length = readLength(form, timed);
  if (!isRead(length)) errors.length = length.wrong;
  const value = kind.value === null ? null : kind.value.read(form.value);
  if (value !== null && !isRead(value)) errors.value = value.wrong;
  const good = Object.keys(errors).length === 0 && isRead(at) && isRead(length);
  if (!good) return { event: null, errors };
  const event: ScriptEvent = {
    id,
    kind: form.kind,
    on: form.on,
    at: at.value,
    length: length.value,
    value: value === null ? null : form.value.trim(),
  };
  return { event, errors };
}

/** Pairs of events that do the same thing at the same time: files do not allow them. By the later one's id. */
export function clashes(events: readonly ScriptEvent[]): ReadonlyMap<number, ScriptEvent> {
  const found = new Map<number, ScriptEvent>();
  for (const [i, later] of events.entries()) {
    const earlier = events.slice(0, i).find((other) => meet(other, later));
    if (earlier) found.set(later.id, earlier);
  }
  return found;
}

function readLength(form: EventForm, timed: boolean): Reading<Ns | null> {
  const { label, needsLength, begins } = KINDS[form.kind];
  if (begins === 'at packets') return { value: null };
  if (form.length.trim() === '') {
    if (!needsLength || (form.kind === 'drop' && !timed)) return { value: null };
    return { wrong: `Required: ${label.toLowerCase()}s have to end. Write a duration such as 3 s.` };
  }
  const length = readDuration(form.length);
  if (!isRead(length)) return length;
  return length.value >= LEAST_LENGTH && length.value <= MOST_LENGTH
    ? length
    : { wrong: 'From 1 ms to 10 h.' };
}

function meet(a: ScriptEvent, b: ScriptEvent): boolean {
  if (a.kind !== b.kind || (a.on !== b.on && a.on !== 'both' && b.on !== 'both')) return false;
  if (!isTimed(a) || !isTimed(b)) return a.at === b.at;
  const [first, second] = a.at <= b.at ? [a, b] : [b, a];
  // A setting that stays ends where the next one begins.
  return second.at === first.at || second.at < first.at + (first.length ?? 0);
}
