import type { Ns } from '../lib/brand';
import type { Viewport } from '../lib/viewport';

/** Diagrams of one page that move together: they share axis time, cursor and view. */
export interface Linked {
  setCursor(t: Ns | null): void;
  setView(view: Viewport | null): void;
}
