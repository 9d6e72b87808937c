import { useEffect, useRef, type RefObject } from 'react';

import type { Viewport } from '../lib/viewport';
import type { Selected } from '../diagram/content';
import type { ChartOptions, FigureOptions, Theme } from '../diagram/options';
import type { Linked } from './linked';

/** What every figure of a page is told. */
export interface ChartProps {
  readonly theme: Theme;
  /** In the time of the axis; `null` is all. */
  readonly view: Viewport | null;
  /** Someone moved the view and let it rest. */
  readonly onView: (view: Viewport | null) => void;
  /** What is pinned. */
  readonly selected?: Selected | null;
  readonly onSelect?: (selected: Selected | null) => void;
  /** Diagrams that share cursor and view. */
  readonly linked?: Set<Linked>;
}

/** What a figure that can be saved is told besides. */
export interface FigureProps extends Omit<FigureOptions, 'provenance'> {
  /** Where it comes from, for exported figures. It may come to be known later than the diagram. */
  readonly provenance: string;
}

/** A framework-free diagram. */
export interface ChartLike extends Linked {
  setTheme(theme: Theme): void;
  /** Where things can be pinned from outside. */
  select?(selected: Selected | null): void;
  destroy(): void;
}

/** How long a view must rest before the page is told, ms: pages keep it in the address, which browsers bound. */
const RESTED_MS = 150;

/**
 * Holds a diagram in an element of a React page. `make` makes it; a new `make` makes it anew, so keep it the same while
 * what it depends on is. Everything else reaches the diagram through its setters.
 */
export function useChart<C extends ChartLike>(
  props: ChartProps,
  make: (element: HTMLElement, options: ChartOptions) => C,
): readonly [RefObject<HTMLDivElement | null>, RefObject<C | null>] {
  const { theme, view, selected = null, linked } = props;
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<C | null>(null);
  const latest = useRef(props);
  /** What the diagram knows already, because it came from there. */
  const known = useRef<{ view: Viewport | null; selected: Selected | null }>({ view, selected });
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!element.current) return undefined;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const { current } = latest;
    known.current = { view: current.view, selected: current.selected ?? null };
    const made: C = make(element.current, {
      theme: current.theme,
      view: current.view,
      selected: current.selected ?? null,
      onView: (next) => {
        known.current.view = next;
        for (const other of linked ?? []) if (other !== made) other.setView(next);
        clearTimeout(resting);
        resting = setTimeout(() => latest.current.onView(next), RESTED_MS);
      },
      onCursor: (t) => {
        for (const other of linked ?? []) if (other !== made) other.setCursor(t);
      },
      onSelect: (next) => {
        known.current.selected = next;
        latest.current.onSelect?.(next);
      },
    });
    chart.current = made;
    linked?.add(made);
    return () => {
      clearTimeout(resting);
      linked?.delete(made);
      made.destroy();
      chart.current = null;
    };
  }, [make, linked]);

  useEffect(() => {
    if (view !== known.current.view) chart.current?.setView(view);
    known.current.view = view;
  }, [view]);

  useEffect(() => {
    if (selected !== known.current.selected) chart.current?.select?.(selected);
    known.current.selected = selected;
  }, [selected]);

  useEffect(() => {
    chart.current?.setTheme(theme);
  }, [theme]);

  return [element, chart];
}
