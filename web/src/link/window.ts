import { ns, type Ns } from '../lib/brand';

/** The part of a run that a timeline shows. */
export interface TimeWindow {
  readonly from: Ns;
  readonly to: Ns;
}

/** The shortest window: a drag by a pixel is then less than the shortest event. */
const LEAST = 100e6 as Ns;

/** The longest: previews end there. */
export const MOST = 3600e9 as Ns;

/** What is seen at first: the first minute, or until some time after the last event. */
export function firstWindow(reach: Ns): TimeWindow {
  return { from: ns(0), to: ns(Math.min(MOST, Math.max(60e9, Math.ceil((reach * 1.2) / 10e9) * 10e9))) };
}

/** The window with a span `factor` times as long, around an instant that keeps its place. */
export function zoomed(window: TimeWindow, factor: number, around: number): TimeWindow {
  const span = window.to - window.from;
  const wanted = Math.min(MOST, Math.max(LEAST, span * factor));
  return shifted({ from: ns(0), to: ns(wanted) }, around - ((around - window.from) * wanted) / span);
}

/** The window with its beginning elsewhere, as far as it goes. */
export function shifted({ from, to }: TimeWindow, begin: number): TimeWindow {
  const span = to - from;
  const start = Math.round(Math.min(MOST - span, Math.max(0, begin)));
  return { from: ns(start), to: ns(Math.round(start + span)) };
}
