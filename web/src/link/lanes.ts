import type { Ns } from '../lib/brand';
import { USUAL_LANES } from './kinds';
import { EVENT_KINDS, isTimed, type EventKind, type ScriptEvent, type TimedEvent } from './script';

/** A lane of the timeline: its events, in rows so that none covers another. */
export interface Lane {
  readonly kind: EventKind;
  readonly rows: readonly (readonly TimedEvent[])[];
}

/** Until when an event takes room: a setting that stays does so until the next one of its kind. */
export function shownUntil(event: TimedEvent, events: readonly ScriptEvent[]): Ns {
  if (event.length !== null) return (event.at + event.length) as Ns;
  const next = events
    .filter(isTimed)
    .filter(({ kind, on, at }) => kind === event.kind && at > event.at && (on === event.on || on === 'both'))
    .map(({ at }) => at);
  return Math.min(Infinity, ...next) as Ns;
}

/** The usual lanes, `more`, and those of the other kinds that have events. */
export function lanesOf(events: readonly ScriptEvent[], more: readonly EventKind[] = []): readonly Lane[] {
  const timed = events.filter(isTimed);
  return EVENT_KINDS.flatMap((kind) => {
    const own = timed.filter((event) => event.kind === kind);
    if (own.length === 0 && !USUAL_LANES.includes(kind) && !more.includes(kind)) return [];
    return [{ kind, rows: inRows(own, events) }];
  });
}

function inRows(own: readonly TimedEvent[], all: readonly ScriptEvent[]): TimedEvent[][] {
  const rows: { events: TimedEvent[]; until: number }[] = [];
  for (const event of [...own].sort((a, b) => a.at - b.at || a.id - b.id)) {
    const until = shownUntil(event, all);
    const free = rows.find((row) => row.until <= event.at);
    if (free) {
      free.events.push(event);
      free.until = until;
    } else rows.push({ events: [event], until });
  }
  return rows.length === 0 ? [[]] : rows.map(({ events }) => events);
}
