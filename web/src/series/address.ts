import type { Stretch } from './source';
import type { TablePath } from './types';

/** Pixels of the first view of a whole run: the plot of a page 1280 wide. Wider ones are sharpened when they are there. The service announces it with the page. */
export const OVERVIEW_PIXELS = 1200;

/** Where a run's series is. */
export const ofRun = (run: number) => `/api/v1/runs/${run}/series`;

/** Which window of a run is asked for. */
export interface Ask {
  /** `null` is all of the run. */
  readonly stretch: Stretch | null;
  /** How wide it is drawn. */
  readonly pixels: number;
  /** The tables whose rows are wanted; `null` is all of them. */
  readonly tables: readonly TablePath[] | null;
}

/** Where a window of the series at an address is; the address may have a query already. */
export function addressOf(series: string, { stretch, pixels, tables }: Ask): string {
  const window = stretch === null ? '' : `from=${stretch.t0}&to=${stretch.t1}&`;
  const named = (tables ?? []).map((table) => `&tables=${table}`).join('');
  return `${series}${series.includes('?') ? '&' : '?'}${window}pixels=${pixels}${named}`;
}
