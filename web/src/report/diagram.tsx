import { useEffect, useRef } from 'react';

import type { Ns } from '../lib/brand';
import type { Viewport } from '../lib/viewport';
import type { Density } from '../diagram/layout';
import type { Theme } from '../diagram/options';
import { TimeSequence } from '../diagram/time-sequence';
import type { RunIndex } from '../series/run-index';

interface Props {
  readonly run: RunIndex;
  /** The other run, where two are compared. */
  readonly other: RunIndex | null;
  readonly theme: Theme;
  readonly density: Density;
  readonly end: Ns;
  readonly title: string;
  readonly provenance: string;
  readonly view: Viewport | null;
  readonly onView: (view: Viewport | null) => void;
  /** Diagrams that share their cursor. */
  readonly linked: Set<TimeSequence>;
}

/** The framework-free diagram in a React page. */
export function Diagram(props: Props) {
  const { run, other, theme, density, end, title, provenance, view, linked } = props;
  const element = useRef<HTMLDivElement>(null);
  const diagram = useRef<TimeSequence | null>(null);
  const latest = useRef(props);
  const known = useRef<Viewport | null>(view);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!element.current) return undefined;
    const made: TimeSequence = new TimeSequence(element.current, run, {
      theme: latest.current.theme,
      density,
      end,
      alongside: other === null ? [] : [other],
      title,
      provenance,
      view: latest.current.view,
      onView: (next) => {
        known.current = next;
        latest.current.onView(next);
      },
      onCursor: (t) => {
        for (const other of linked) if (other !== made) other.setCursor(t);
      },
    });
    diagram.current = made;
    known.current = latest.current.view;
    linked.add(made);
    return () => {
      linked.delete(made);
      made.destroy();
      diagram.current = null;
    };
  }, [run, other, density, end, title, provenance, linked]);

  useEffect(() => {
    // The diagram that was moved knows already.
    if (view !== known.current) diagram.current?.setView(view);
    known.current = view;
  }, [view]);

  useEffect(() => {
    diagram.current?.setTheme(theme);
  }, [theme]);

  return <div ref={element} />;
}
