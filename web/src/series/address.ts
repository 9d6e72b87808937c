import type { Ask } from './windowed';

/** Pixels of the first view of a whole run: the plot of a page 1280 wide. Wider ones are sharpened when they are there. The service announces it with the page. */
export const OVERVIEW_PIXELS = 1200;

/** Where a run's series is. */
export const ofRun = (run: number) => `/api/v1/runs/${run}/series`;

/** Where a window of the series at an address is; the address may have a query already. */
export function addressOf(series: string, { stretch, pixels, tables }: Ask): string {
  const window = stretch === null ? '' : `from=${stretch.t0}&to=${stretch.t1}&`;
  const named = (tables ?? []).map((table) => `&tables=${table}`).join('');
  return `${series}${series.includes('?') ? '&' : '?'}${window}pixels=${pixels}${named}`;
}
