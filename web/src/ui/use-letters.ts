import { useEffect, useRef } from 'react';

/** What each letter does; a capital is the letter with Shift. */
export type Letters = Readonly<Record<string, () => void>>;

/** Where the choice is kept whether letters do anything at all (WCAG 2.1.4). */
const SETTING = 'windlull-letters';

/** Controls that take letters themselves. */
const TAKES_LETTERS =
  'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="combobox"], [role="listbox"], [role="menu"], [role="dialog"]';

/** Letters of a page while it is there. They take nothing from fields, dialogues, or who handles a key itself. */
export function useLetters(letters: Letters): void {
  const latest = useRef(letters);
  useEffect(() => {
    latest.current = letters;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing)
        return;
      if (event.target instanceof Element && event.target.closest(TAKES_LETTERS) !== null) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined || !wanted()) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
    };
  }, []);
}

function wanted(): boolean {
  try {
    return localStorage.getItem(SETTING) !== 'off';
  } catch {
    return true;
  }
}
