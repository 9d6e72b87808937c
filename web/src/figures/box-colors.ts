import { LIGHT } from '../paint/palette';

/** What box plots are drawn in: anything that SVG takes for a colour. */
export interface BoxColors {
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly axis: string;
  readonly dot: string;
  /** The run on show, and what a paper printed. */
  readonly marked: string;
  /** Fill of boxes of simulated runs, and of live ones. */
  readonly box: string;
  readonly liveBox: string;
  readonly line: string;
}

/** The page's own (lib/colors.css), so that they follow its theme, and are dark on white when it is printed. */
export const PAGE_COLORS: BoxColors = {
  text: 'var(--ink)',
  muted: 'var(--muted)',
  grid: 'var(--faint)',
  axis: 'var(--muted)',
  dot: 'var(--ink)',
  marked: 'var(--bad)',
  box: 'var(--box)',
  liveBox: 'var(--live-box)',
  line: 'var(--box-line)',
};

/** Of a figure that is saved: a file has no page to take colours from. */
export const FILE_COLORS: BoxColors = {
  text: LIGHT.text,
  muted: LIGHT.muted,
  grid: LIGHT.grid,
  axis: LIGHT.axis,
  dot: LIGHT.segment,
  marked: LIGHT.selection,
  box: '#cfe3f1',
  liveBox: '#cdebd5',
  line: '#2b3138',
};
