import { DARK, LIGHT, type Palette } from '../paint/palette';

/** What box plots are drawn in. */
export interface BoxColors {
  readonly palette: Palette;
  /** Fill of boxes of simulated runs, and of live ones. */
  readonly box: string;
  readonly liveBox: string;
  readonly line: string;
}

const ON_WHITE: BoxColors = { palette: LIGHT, box: '#cfe3f1', liveBox: '#cdebd5', line: '#2b3138' };
const ON_BLACK: BoxColors = { palette: DARK, box: '#23455c', liveBox: '#1f4d33', line: '#c3ccd6' };

/** The colours for a theme. */
export function boxColors(theme: 'light' | 'dark'): BoxColors {
  return theme === 'dark' ? ON_BLACK : ON_WHITE;
}
