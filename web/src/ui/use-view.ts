import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

import type { Viewport } from '../lib/viewport';
import { viewFromText, viewToText } from '../lib/view-text';

/** How long a view must rest before the address takes it: browsers limit how often addresses may change. */
const RESTS_MS = 200;

interface Held {
  readonly t: string | null;
  readonly y: string | null;
  readonly view: Viewport | null;
  /** What of this the address was given last by us, so that its change is no news. */
  readonly wrote: string | null;
}

/**
 * The view of a diagram, kept in the address as `t` and `y` (lib/view-text.ts); `null` is all of it. Moving replaces
 * the address, and what changes the address otherwise, as going back, moves the view.
 */
export function useView(): readonly [Viewport | null, (view: Viewport | null) => void] {
  const [params, setParams] = useSearchParams();
  const t = params.get('t');
  const y = params.get('y');
  const [held, setHeld] = useState<Held>(() => ({ t, y, view: viewFromText(t, y), wrote: null }));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const write = useRef(setParams);
  useEffect(() => {
    write.current = setParams;
  }, [setParams]);
  const own = held.wrote === addressOf(t, y);
  if (held.t !== t || held.y !== y)
    setHeld(own ? { ...held, t, y } : { t, y, view: viewFromText(t, y), wrote: null });
  useEffect(() => {
    // A move that waits to be written must not undo what the address says since.
    if (!own) clearTimeout(timer.current);
  }, [t, y, own]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  const move = useCallback((view: Viewport | null) => {
    setHeld((old) => ({ ...old, view }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const text = view === null ? null : viewToText(view);
      setHeld((old) => ({ ...old, wrote: addressOf(text?.t ?? null, text?.y ?? null) }));
      write.current((old) => withView(old, view), { replace: true, preventScrollReset: true });
    }, RESTS_MS);
  }, []);
  return [held.view, move];
}

const addressOf = (t: string | null, y: string | null) => `${t ?? ''} ${y ?? ''}`;

/** The search part of an address with another view. */
export function withView(params: URLSearchParams, view: Viewport | null): URLSearchParams {
  const next = new URLSearchParams(params);
  const text = view === null ? null : viewToText(view);
  for (const [key, value] of [
    ['t', text?.t ?? null],
    ['y', text?.y ?? null],
  ] as const) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  return next;
}
