import { useEffect, useState, type RefObject } from 'react';

import { useOnPaper } from '../../figures/paper';

/** What is drawn of a figure: nothing yet, a picture of it, or the figure that hands can move. */
export type Drawn = 'not-yet' | 'still' | 'live';

/** How far from the part of the page that is on show a figure comes to life. */
const NEAR = '600px';

/** Figures that wait for the page to be idle, in their order. */
const waiting: (() => void)[] = [];

/**
 * What is to be drawn of a figure. A page may have dozens of diagrams, too many canvases to keep: those that the reader
 * comes near are live from then on. The others are drawn one by one while the page is idle, so that a picture of the
 * whole page has them, and at once when it is printed.
 */
export function useDrawn(element: RefObject<HTMLElement | null>): Drawn {
  const [drawn, setDrawn] = useState<Drawn>('not-yet');
  const onPaper = useOnPaper();
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        setDrawn('live');
      },
      { rootMargin: NEAR },
    );
    observer.observe(target);
    const leave = whenIdle(() => setDrawn((old) => (old === 'live' ? old : 'still')));
    return () => {
      observer.disconnect();
      leave();
    };
  }, [element]);
  return onPaper ? 'still' : drawn;
}

/** Calls back once the page has nothing else to do and those before are done. Returns how to leave the queue. */
function whenIdle(draw: () => void): () => void {
  waiting.push(draw);
  if (waiting.length === 1) idle();
  return () => {
    const place = waiting.indexOf(draw);
    if (place >= 0) waiting.splice(place, 1);
  };
}

function idle(): void {
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) idle();
  };
  // Safari has no idle time to give away.
  if (typeof requestIdleCallback === 'undefined') setTimeout(next, 50);
  else requestIdleCallback(next);
}
