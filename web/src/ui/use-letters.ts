import { useEffect, useRef } from 'react';

import { isForPage, lettersWanted } from './letters';

/** What each letter does; a capital is the letter with Shift. */
export type Letters = Readonly<Record<string, () => void>>;

/** Letters of a page while it is there. They take nothing from fields, dialogues, or who handles a key itself. */
export function useLetters(letters: Letters): void {
  const latest = useRef(letters);
  useEffect(() => {
    latest.current = letters;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isForPage(event) || !lettersWanted()) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
