import { useWindowEvent } from '@mantine/hooks';

import { isForPage, lettersWanted } from './letters';

/** What each letter does; a capital is the letter with Shift. */
export type Letters = Readonly<Record<string, () => void>>;

/** Letters of a page while it is there. They take nothing from fields, dialogues, or who handles a key itself. */
export function useLetters(letters: Letters): void {
  useWindowEvent('keydown', (event) => {
    if (!isForPage(event) || !lettersWanted() || !Object.hasOwn(letters, event.key)) return;
    event.preventDefault();
    letters[event.key]();
  });
}
