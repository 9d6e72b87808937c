import { useEffect, useState, type PointerEvent, type RefObject } from 'react';

import type { Ns } from '../lib/brand';
import { px } from '../lib/brand';
import type { LinearScale } from '../lib/scale';
import { dragged, type Drag } from './drag';
import { isTimed, type EventKind, type ScriptEvent, type TimedEvent } from './script';
import { shifted, zoomed, type TimeWindow } from './window';

interface Options {
  readonly root: RefObject<HTMLElement | null>;
  readonly times: LinearScale<Ns>;
  readonly step: Ns;
  readonly events: readonly ScriptEvent[];
  readonly onDone: (event: TimedEvent) => void;
  readonly onSelect: (id: number | null) => void;
  /** Someone took an event that is not to be changed here. */
  readonly onFixed: () => void;
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
}

interface Gesture {
  readonly drag: Drag | { readonly doing: 'pan'; readonly window: TimeWindow };
  readonly pointer: number;
  readonly sinceX: number;
  readonly x: number;
}

/** Less than this, in CSS pixels, is a tap. */
const TAP = 4;

/** What hands do on a timeline: draw, move, resize, pull the axis; Ctrl and the wheel zoom. */
export function useTimelinePointer(options: Options) {
  const { root, times, step, events, onDone, onSelect, onFixed, window, onWindow } = options;
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const xOf = ({ clientX }: { clientX: number }) =>
    clientX - (root.current?.getBoundingClientRect().left ?? 0);
  const at = (x: number) => times.fromPx(px(Math.min(times.r1, Math.max(times.r0, x))));
  const drag = gesture !== null && gesture.drag.doing !== 'pan' ? gesture.drag : null;
  const shape =
    gesture !== null && drag !== null
      ? dragged(drag, Math.abs(gesture.x - gesture.sinceX) < TAP ? drag.since : at(gesture.x), step, events)
      : null;

  const take = (event: PointerEvent, what: Gesture['drag']) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setGesture({ drag: what, pointer: event.pointerId, sinceX: xOf(event), x: xOf(event) });
  };

  useZoomByWheel(root, times, window, onWindow);
  useEffect(() => {
    if (gesture === null) return undefined;
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setGesture(null);
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [gesture]);

  return {
    drag,
    shape,
    onLane: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || gesture !== null || !(event.target instanceof Element)) return;
      // What belongs to the link below stays as it is, and nothing is drawn upon it.
      if (event.target.closest('.link-event-fixed') !== null) {
        onFixed();
        return;
      }
      const since = at(xOf(event));
      const block = event.target.closest<HTMLElement>('[data-event]');
      if (block === null) {
        take(event, { doing: 'draw', kind: event.currentTarget.dataset['lane'] as EventKind, since });
        return;
      }
      const found = events.find(({ id }) => String(id) === block.dataset['event']);
      if (!found || !isTimed(found)) return;
      onSelect(found.id);
      const edge = event.target.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
      const doing = edge === 'begin' ? 'begin' : edge === 'end' ? 'end' : 'move';
      take(event, { doing, event: found, since });
      block.focus();
    },
    onPan: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button === 0 && gesture === null) take(event, { doing: 'pan', window });
    },
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (gesture?.pointer !== event.pointerId) return;
        const x = xOf(event);
        setGesture({ ...gesture, x });
        if (gesture.drag.doing === 'pan')
          onWindow(
            shifted(gesture.drag.window, gesture.drag.window.from - (x - gesture.sinceX) / times.slope),
          );
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        if (gesture?.pointer !== event.pointerId) return;
        setGesture(null);
        if (shape) onDone(shape);
      },
      onPointerCancel: () => setGesture(null),
    },
  };
}

function useZoomByWheel(
  root: RefObject<HTMLElement | null>,
  times: LinearScale<Ns>,
  window: TimeWindow,
  onWindow: (window: TimeWindow) => void,
): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const zoom = (event: WheelEvent) => {
      // The wheel alone scrolls the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left;
      onWindow(zoomed(window, 1.0015 ** event.deltaY, times.fromPx(px(Math.max(times.r0, x)))));
    };
    element.addEventListener('wheel', zoom, { passive: false });
    return () => element.removeEventListener('wheel', zoom);
  });
}
