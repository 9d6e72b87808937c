import { useState } from 'react';

import { amended, begun, redo, step, undo, type History } from './history';
import type { Undoing } from './use-history';

/** A text that is edited, from several places perhaps, and the ways back and forth. */
export interface TextHistory extends Undoing {
  readonly text: string;
  /** `field`: where it was typed. What is typed in one field without a pause for another is one step. */
  readonly change: (text: string, field?: string) => void;
}

interface State {
  readonly history: History<string>;
  /** Where the last change was typed; null if it was not. */
  readonly field: string | null;
}

/** Lets changes of a text be undone. */
export function useTextHistory(first: string): TextHistory {
  const [{ history }, set] = useState<State>(() => ({ history: begun(first), field: null }));
  const go = (way: typeof undo) => set((now) => ({ history: way(now.history), field: null }));
  return {
    text: history.present,
    change: (text, field) =>
      set((now) => ({
        history:
          field !== undefined && field === now.field ? amended(now.history, text) : step(now.history, text),
        field: field ?? null,
      })),
    undo: history.past.length === 0 ? null : () => go(undo),
    redo: history.future.length === 0 ? null : () => go(redo),
  };
}
