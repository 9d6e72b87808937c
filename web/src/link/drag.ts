import { ns, type Ns } from '../lib/brand';
import { beginningAt, created, endingAt, moved, snap } from './edit';
import type { EventKind, ScriptEvent, TimedEvent } from './script';
import { isTimed } from './script';

/** What a hand on the timeline is doing, and since which instant. */
export type Drag =
  | { readonly doing: 'draw'; readonly kind: EventKind; readonly since: Ns }
  | { readonly doing: 'move' | 'begin' | 'end'; readonly event: TimedEvent; readonly since: Ns };

/** The event as it would be if the hand let go at `at`; null where there would be none. */
export function dragged(drag: Drag, at: Ns, step: Ns, events: readonly ScriptEvent[]): TimedEvent | null {
  if (drag.doing === 'draw') {
    const from = snap(Math.max(0, Math.min(drag.since, at)), step);
    const to = snap(Math.max(0, drag.since, at), step);
    const event = created(drag.kind, from, to > from ? ns(to - from) : null, events);
    return isTimed(event) ? event : null;
  }
  const { event, since } = drag;
  const by = at - since;
  const end = event.at + (event.length ?? 0);
  switch (drag.doing) {
    case 'move':
      // The beginning snaps; what was set exactly stays so if the hand comes back.
      return Math.abs(by) < step / 2 ? event : moved(event, snap(event.at + by, step));
    case 'begin':
      return beginningAt(event, snap(event.at + by, step));
    case 'end':
      return endingAt(event, event.length === null ? snap(at, step) : snap(end + by, step));
  }
}

/** What arrow keys do: null if the key means nothing here. Shift resizes, Control goes by a tenth of the step. */
export function nudged(
  event: TimedEvent,
  { key, shiftKey, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
  step: Ns,
): TimedEvent | null {
  const sign = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (sign === 0) return null;
  const by = sign * Math.max(1e6, ctrlKey || metaKey ? step / 10 : step);
  if (!shiftKey) return moved(event, event.at + by);
  return endingAt(event, event.at + (event.length ?? 0) + by);
}
