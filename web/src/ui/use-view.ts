import { useCallback, useEffect, useRef, useState } from 'react';

import type { Viewport } from '../lib/viewport';
import { viewFromText, viewToText } from '../lib/view-text';
import { changed, useSearch } from './use-address';

interface Held {
  readonly t: string | null;
  readonly y: string | null;
  readonly view: Viewport | null;
  /** What the address was given last by us, so that its change is no news. */
  readonly wrote: string | null;
}

/**
 * The view of a diagram, kept in the address as `t` and `y` (lib/view-text.ts); `null` is all of it. Moving replaces
 * the address, and what changes the address otherwise, as going back, moves the view. A view that came by moving is
 * handed back as it is, so that the diagram that was moved is not moved again.
 */
export function useView(): readonly [Viewport | null, (view: Viewport | null) => void] {
  const [params, setParams] = useSearch();
  const t = params.get('t');
  const y = params.get('y');
  const [held, setHeld] = useState<Held>(() => ({ t, y, view: viewFromText(t, y), wrote: null }));
  const write = useRef(setParams);
  useEffect(() => {
    write.current = setParams;
  }, [setParams]);
  if (held.t !== t || held.y !== y) {
    const own = held.wrote === addressOf(t, y);
    setHeld(own ? { ...held, t, y } : { t, y, view: viewFromText(t, y), wrote: null });
  }
  const move = useCallback((view: Viewport | null) => {
    const text = view === null ? null : viewToText(view);
    setHeld((old) => ({ ...old, view, wrote: addressOf(text?.t ?? null, text?.y ?? null) }));
    write.current((old) => withView(old, view), { replace: true, preventScrollReset: true });
  }, []);
  return [held.view, move];
}

const addressOf = (t: string | null, y: string | null) => `${t ?? ''} ${y ?? ''}`;

/** The search part of an address with another view. */
export function withView(params: URLSearchParams, view: Viewport | null): URLSearchParams {
  return changed(params, view === null ? { t: null, y: null } : { ...viewToText(view) });
}
