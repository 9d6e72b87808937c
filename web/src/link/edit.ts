import { ns, type Ns } from '../lib/brand';
import { niceStep } from '../lib/ticks';
import { LATEST, LEAST_LENGTH, MOST_LENGTH } from './check';
import { KINDS } from './kinds';
import { isTimed, type EventKind, type ScriptEvent, type TimedEvent } from './script';

/** How long an event is that is added by one tap. */
export const USUAL_LENGTH = 3e9 as Ns;

/** An id that no event has. */
export function nextId(events: readonly ScriptEvent[]): number {
  return Math.max(0, ...events.map(({ id }) => id)) + 1;
}

/** A new event of a kind at an instant. A `length` of null is one that the kind needs, or none. */
export function created(
  kind: EventKind,
  at: Ns,
  length: Ns | null,
  events: readonly ScriptEvent[],
): ScriptEvent {
  const { needsLength, value, begins } = KINDS[kind];
  return {
    id: nextId(events),
    kind,
    on: 'both',
    at: begins === 'at packets' ? 'data segment 9' : within(at, 0 as Ns, LATEST),
    length: begins === 'at packets' ? null : (length ?? (needsLength ? USUAL_LENGTH : null)),
    value: value?.initial ?? null,
  };
}

/** The events and one more, or with another one in the place of the one of its id. */
export function withEvent(events: readonly ScriptEvent[], event: ScriptEvent): readonly ScriptEvent[] {
  return events.some(({ id }) => id === event.id)
    ? events.map((old) => (old.id === event.id ? event : old))
    : [...events, event];
}

export function without(events: readonly ScriptEvent[], id: number): readonly ScriptEvent[] {
  return events.filter((event) => event.id !== id);
}

/** The event, beginning elsewhere. */
export function moved(event: TimedEvent, at: number): TimedEvent {
  return { ...event, at: within(at, 0 as Ns, LATEST) };
}

/** The event with its end elsewhere; its beginning stays. */
export function endingAt(event: TimedEvent, end: number): TimedEvent {
  return { ...event, length: within(end - event.at, LEAST_LENGTH, MOST_LENGTH) };
}

/** The event with its beginning elsewhere; its end stays, if it has one. */
export function beginningAt(event: TimedEvent, at: number): TimedEvent {
  if (event.length === null) return moved(event, at);
  const end = event.at + event.length;
  const begin = within(at, Math.max(0, end - MOST_LENGTH) as Ns, (end - LEAST_LENGTH) as Ns);
  return { ...event, at: begin, length: ns(end - begin) };
}

/** The step that drags and arrow keys go by: a round time of about `pixels` pixels. */
export function snapStep(nsPerPixel: number, pixels = 4): Ns {
  return ns(Math.max(LEAST_LENGTH, niceStep(nsPerPixel * pixels, 1)));
}

/** The multiple of the step that is nearest. */
export const snap = (value: number, step: Ns): Ns => ns(Math.round(value / step) * step);

/** Until when there is something to see: the end of the last event, and some time more. */
export function reach(events: readonly ScriptEvent[]): Ns {
  const ends = events.filter(isTimed).map(({ at, length }) => at + (length ?? 0));
  return ns(Math.max(0, ...ends));
}

function within(value: number, least: Ns, most: Ns): Ns {
  return ns(Math.min(most, Math.max(least, Math.round(value))));
}
