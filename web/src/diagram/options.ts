import type { Ns } from '../lib/brand';
import type { Viewport } from '../lib/viewport';
import type { SeriesSource } from '../series/source';
import type { Selected } from './content';
import type { PartId } from './layers';
import type { Density } from './layout';

export type Theme = 'light' | 'dark';

/** What every chart is told. Views and times of the cursor are those of its axis. */
export interface ChartOptions {
  readonly theme: Theme;
  readonly view?: Viewport | null;
  /** What is pinned from the beginning. */
  readonly selected?: Selected | null;
  /** Someone moved the view; `null` is all. */
  readonly onView?: (view: Viewport | null) => void;
  /** The pointer is over this time, or has gone. */
  readonly onCursor?: (t: Ns | null) => void;
  /** Someone pinned something, or let it go. */
  readonly onSelect?: (selected: Selected | null) => void;
}

/** What a figure says of itself. */
export interface FigureOptions {
  readonly density?: Density;
  /** What the diagram shows, for people and for file names. */
  readonly title: string;
  /** Where it comes from, asked for when a figure is exported: a page may come to know it later than the diagram. */
  readonly provenance: () => string;
}

/** An instant of a run at which its time axis has its zero. */
export interface Origin {
  /** In the run's time. */
  readonly t: Ns;
  /** What happened then: `hold 1`. */
  readonly label: string;
}

/** A stretch of an axis. */
export interface Extent {
  readonly from: Ns;
  readonly to: Ns;
}

/** What the sequence axis counts. */
export type SequenceUnit = 'octets' | 'segments';

/** What is left out of the drawing, and what the sequence axis counts. */
export interface Look {
  readonly hidden: readonly PartId[];
  readonly unit: SequenceUnit;
}

export interface TimeSequenceOptions extends ChartOptions, FigureOptions {
  /** Where the time axis has its zero; the run's start unless told. */
  readonly origin?: Origin | null;
  /** From where to where the axis goes, in its own time, for diagrams that are compared; the whole run unless told. */
  readonly extent?: Extent | null;
  /** Runs that are compared with this one and share its sequence axis while that is fitted. */
  readonly alongside?: readonly SeriesSource[];
  /** A stretch of the run, in its own time, that is framed: an episode. */
  readonly highlight?: Extent | null;
  /** `null`: as at first. */
  readonly look?: Look | null;
  /** Someone showed, hid or switched something. */
  readonly onLook?: (look: Look) => void;
}
