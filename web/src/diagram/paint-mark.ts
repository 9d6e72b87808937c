/** The name of the performance mark of the page's first drawing. */
export const FIRST_PAINT = 'windlull:first-paint';

let marked = false;

/** Marks, once a page, when the first drawing was on the screen: behind the frame that shows what was just drawn. */
export function markFirstPaint(): void {
  if (marked) return;
  marked = true;
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark(FIRST_PAINT)));
}
