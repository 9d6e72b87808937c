import type { Palette } from '../paint/palette';
import {
  readDuration,
  readProbability,
  readQueueLimit,
  readRate,
  writeDuration,
  type Reading,
} from './quantity';
import { endOf, isTimed, type Direction, type EventKind, type ScriptEvent } from './script';

interface Kind {
  /** What its lane is called. */
  readonly label: string;
  /** What the link does then, in a line. */
  readonly about: string;
  /** Its colour in the diagrams. */
  readonly color: keyof Palette;
  /** Whether it lasts for a time that must be said. A setting without one stays. */
  readonly needsLength: boolean;
  /** The value that it needs: its name, one to begin with, and how it is read. */
  readonly value: {
    readonly label: string;
    readonly initial: string;
    readonly read: (text: string) => Reading<unknown>;
  } | null;
  /** What it can begin with. */
  readonly begins: 'at instants' | 'at packets' | 'at either';
}

/** What each kind of event is. The first four have a lane even where nothing happens on it. */
export const KINDS: Readonly<Record<EventKind, Kind>> = {
  hold: {
    label: 'Hold',
    about: 'A delay spike: delivers nothing, keeps everything, then releases it in order.',
    color: 'hold',
    needsLength: true,
    value: null,
    begins: 'at either',
  },
  'hold-arrivals': {
    label: 'Hold of arrivals',
    about:
      'Keeps arriving packets in front of the queue, then lets them in at once; the queue keeps sending.',
    color: 'hold',
    needsLength: true,
    value: null,
    begins: 'at either',
  },
  drop: {
    label: 'Outage',
    about: 'Loses every packet, or the chosen packets.',
    color: 'outage',
    needsLength: true,
    value: null,
    begins: 'at either',
  },
  rate: {
    label: 'Rate',
    about: 'Changes the rate, down or up.',
    color: 'setting',
    needsLength: false,
    value: { label: 'Rate', initial: '10 kbit/s', read: readRate },
    begins: 'at instants',
  },
  delay: {
    label: 'Delay',
    about: 'Changes the propagation delay.',
    color: 'setting',
    needsLength: false,
    value: { label: 'Propagation delay', initial: '1 s', read: readDuration },
    begins: 'at instants',
  },
  loss: {
    label: 'Loss',
    about: 'Loses packets at random, in addition to the link’s other losses.',
    color: 'setting',
    needsLength: false,
    value: { label: 'Probability', initial: '2 %', read: readProbability },
    begins: 'at instants',
  },
  queue: {
    label: 'Queue',
    about: 'Changes the queue’s limit; packets already in it stay.',
    color: 'setting',
    needsLength: false,
    value: { label: 'Limit', initial: '7 packets', read: readQueueLimit },
    begins: 'at instants',
  },
  late: {
    label: 'Late packets',
    about: 'Delays single packets, so that others overtake them.',
    color: 'setting',
    needsLength: false,
    value: { label: 'Later by', initial: '500 ms', read: readDuration },
    begins: 'at packets',
  },
};

export const USUAL_LANES: readonly EventKind[] = ['hold', 'drop', 'rate', 'delay'];

/** Directions as words and as a sign. */
export const DIRECTIONS: Readonly<Record<Direction, { readonly words: string; readonly sign: string }>> = {
  both: { words: 'both directions', sign: '⇅' },
  down: { words: 'down, server to client', sign: '↓' },
  up: { words: 'up, client to server', sign: '↑' },
};

/** When an event is, in words: `10 s to 13 s`, `from 20 s on`, `at data segment 12 for 3 s`. */
export function whenOf(event: ScriptEvent): string {
  if (!isTimed(event))
    return `at ${event.at}${event.length === null ? '' : ` for ${writeDuration(event.length)}`}`;
  const end = endOf(event);
  return end === null
    ? `from ${writeDuration(event.at)} on`
    : `${writeDuration(event.at)} to ${writeDuration(end)}`;
}

/** An event in a line: `Hold 3 s, 10 s to 13 s, both directions`. */
export function describe(event: ScriptEvent): string {
  const much = event.value ?? (event.length === null ? '' : writeDuration(event.length));
  return `${`${KINDS[event.kind].label} ${much}`.trim()}, ${whenOf(event)}, ${DIRECTIONS[event.on].words}`;
}

/** An event in short, for the name and title of a link: `3 s hold at 10 s`. */
export function brief(event: ScriptEvent): string {
  const { label } = KINDS[event.kind];
  const length = event.length === null ? '' : `${writeDuration(event.length)} `;
  const what = event.value === null ? label.toLowerCase() : `${label.toLowerCase()} of ${event.value}`;
  return `${length}${what} at ${isTimed(event) ? writeDuration(event.at) : event.at}`;
}
