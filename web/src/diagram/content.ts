import type { Ns, Octets } from '../lib/brand';
import type { LinearScale } from '../lib/scale';
import type { Viewport } from '../lib/viewport';
import type { Palette } from '../paint/palette';
import type { Surface } from '../paint/surface';
import type { Explanation } from '../series/explain';
import type { RunIndex } from '../series/run-index';
import type { Layout } from './layout';
import type { Step } from './step';

/** Where and how one drawing is made. `view` is in the time of the axis. */
export interface Drawing {
  readonly surface: Surface;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly view: Viewport;
}

/** What a chart needs to know of a frame of its content. */
export interface ChartFrame {
  readonly surface: Surface;
  readonly y: LinearScale<Octets>;
}

/** What someone chose, so that an address can hold it. Times are those of the run. */
export type Selected =
  | { readonly kind: 'segment'; readonly t: Ns; readonly seq: Octets }
  | { readonly kind: 'timeout'; readonly t: Ns };

/** One thing in the drawing, and what is said of it. */
export interface Pick {
  readonly explanation: Explanation;
  /** Where to point at: time of the axis, and an octet or, in strips and lanes, CSS pixels from the top. */
  readonly t: Ns;
  readonly height: { readonly octet: Octets } | { readonly px: number };
  /** The data it was found in. */
  readonly index: RunIndex;
  /** The data segment it is, or -1. */
  readonly row: number;
  readonly selected: Selected | null;
}

/** What a key asks to go to. */
export type Target = 'segment' | 'retransmission' | 'timeout';

/** Where such a key starts from. Times are those of the axis. */
export interface Here {
  readonly view: Viewport;
  /** What is pinned, if it is in view. */
  readonly pick: Pick | null;
  readonly cursor: Ns | null;
}

/** Where it leads: an instant of the axis, and, once that is in view, the thing itself. */
export interface StepResult<F> {
  readonly t: Ns;
  readonly pick: (frame: F) => Pick;
}

/**
 * What a chart draws, and how that answers to hands and keys. The chart knows view, canvases, gestures and cursor;
 * its content knows runs. All views and times between the two are those of the axis.
 */
export interface Content<F extends ChartFrame> {
  layOut(width: number): Layout;
  frame(drawing: Drawing): F;
  drawScene(frame: F): void;
  /** Marks what is picked. */
  drawPick(frame: F, pick: Pick): void;
  /** The thing that is nearest to a place of the drawing; `null` where there is none. */
  pick(frame: F, x: number, y: number): Pick | null;
  /** The same thing in the data of this frame; as it was where they do not have it. */
  again(frame: F, pick: Pick): Pick;
  /** What someone chose, if it is here. */
  find(frame: F, selected: Selected): Pick | null;
  step(frame: F, target: Target, step: Step, here: Here): StepResult<F> | null;
  /** Notes what is on show and how wide the plot is, so that better data can be asked for. */
  follow(view: Viewport, width: number): void;
  /** What is to be said below the drawing of the data it shows; empty where there is nothing to say. */
  note(frame: F): string;
  /** How an instant of the axis is written under the cursor. */
  instant(t: Ns, view: Viewport): string;
  /** Brings legend and buttons up to date. */
  update(palette: Palette, ratio: number): void;
  /** Nothing is drawn any more. */
  end(): void;
}
