import type { Ns } from '../lib/brand';
import type { Viewport } from '../lib/viewport';
import type { RunIndex } from '../series/run-index';
import type { Density } from './layout';

export type Theme = 'light' | 'dark';

export interface TimeSequenceOptions {
  readonly theme: Theme;
  readonly density?: Density;
  /** Where the time axis ends, if later than the run: for diagrams that are compared. */
  readonly end?: Ns;
  /** Runs that are compared with this one and share its sequence axis while that is fitted. */
  readonly alongside?: readonly RunIndex[];
  /** What the diagram shows, for people and for file names. */
  readonly title: string;
  /** Where it comes from, for exported figures. */
  readonly provenance: string;
  readonly view?: Viewport | null;
  /** Someone moved the view; `null` is the whole run. */
  readonly onView?: (view: Viewport | null) => void;
  /** The pointer is over this time, or has gone. */
  readonly onCursor?: (t: Ns | null) => void;
}
