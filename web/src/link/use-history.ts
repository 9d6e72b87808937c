import { useState } from 'react';

import { begun, redo, step, undo } from './history';
import type { ScriptEvent } from './script';

/** The ways back and forth; null where there is nothing more. */
export interface Undoing {
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
}

interface Edits extends Undoing {
  readonly change: (events: readonly ScriptEvent[]) => void;
}

/** Lets changes of events be undone. Events that come from elsewhere begin a new history. */
export function useHistory(
  events: readonly ScriptEvent[],
  onChange: (events: readonly ScriptEvent[]) => void,
): Edits {
  const [history, setHistory] = useState(() => begun(events));
  const own = same(history.present, events);
  const current = own ? history : begun(events);
  if (!own) setHistory(current);
  const go = (next: typeof current) => {
    setHistory(next);
    onChange(next.present);
  };
  return {
    change: (next) => {
      if (!same(next, events)) go(step(current, next));
    },
    undo: current.past.length === 0 ? null : () => { go(undo(current)); }, // prettier-ignore
    redo: current.future.length === 0 ? null : () => { go(redo(current)); }, // prettier-ignore
  };
}

function same(a: readonly ScriptEvent[], b: readonly ScriptEvent[]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
