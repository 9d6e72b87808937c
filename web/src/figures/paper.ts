import { createContext, useContext } from 'react';
import { flushSync } from 'react-dom';

/**
 * How wide figures are on paper, CSS pixels: 180 mm, what A4 leaves between margins of 15 mm. The style sheet's `@page`
 * has those; Letter is wider.
 */
export const PAPER_WIDTH = 680;

/** Whether the page is being printed. */
export const OnPaper = createContext(false);

export function useOnPaper(): boolean {
  return useContext(OnPaper);
}

/**
 * Draws the page, and draws it anew for paper when the browser prints. It lays the page out as soon as `beforeprint` has
 * been heard, so all that paper shows otherwise than a screen must stand in the page by then: React is made to draw at once.
 */
export function drawForScreenAndPaper(draw: (onPaper: boolean) => void): void {
  let fold: () => void = nothing;
  window.addEventListener('beforeprint', () => {
    flushSync(() => draw(true));
    fold();
    fold = unfolded(document);
  });
  window.addEventListener('afterprint', () => {
    fold();
    fold = nothing;
    flushSync(() => draw(false));
  });
  draw(false);
}

/** Opens all that is folded in a page, as nobody can open it on paper. Returns what folds the same again. */
function unfolded(page: ParentNode): () => void {
  const folded = [...page.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
  for (const one of folded) one.open = true;
  return () => {
    for (const one of folded) one.open = false;
  };
}

const nothing = () => undefined;
