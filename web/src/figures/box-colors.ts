import { DARK, LIGHT, type Palette } from '../paint/palette';

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

const ON_WHITE: BoxColors = { ...ofPalette(LIGHT), box: '#cfe3f1', liveBox: '#cdebd5', line: '#2b3138' };
const ON_BLACK: BoxColors = { ...ofPalette(DARK), box: '#23455c', liveBox: '#1f4d33', line: '#c3ccd6' };

/** The colours for a theme. */
export function boxColors(theme: 'light' | 'dark'): BoxColors {
  return theme === 'dark' ? ON_BLACK : ON_WHITE;
}

function ofPalette({ text, muted, grid, axis, segment, selection }: Palette) {
  return { text, muted, grid, axis, dot: segment, marked: selection };
}
