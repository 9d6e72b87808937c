import type { Mark } from './marks';

/** How one of several runs in a plot is told from the others: by colour, by dashes, and by the shape of its marks. */
export interface TraceStyle {
  readonly color: string;
  /** Lengths of dash and gap, CSS pixels; `null` for a whole line. */
  readonly dash: readonly [number, number] | null;
  readonly mark: Mark;
}

/** As many runs as can be told apart. */
export const MOST_TRACES = 8;

/**
 * Hues of Okabe and Ito, which people of every colour vision tell apart, each at 3:1 or more on the background. They
 * are no colours of verdicts: marks say by being filled or open what was necessary and what not.
 */
const COLORS = {
  light: ['#0072b2', '#c4520a', '#00805a', '#a8458a', '#8a6a00', '#343a42', '#3a7fb5', '#8c3b2e'],
  dark: ['#5cb8f2', '#ff9a52', '#2fc79a', '#e79ccb', '#e3c04a', '#dbe2ea', '#9cc9f0', '#e08f80'],
} as const;

const DASHES: readonly TraceStyle['dash'][] = [
  null,
  [7, 3],
  [2.5, 2.5],
  [12, 4],
  null,
  [7, 3],
  [2.5, 2.5],
  [12, 4],
];
const MARKS: readonly Mark[] = ['circle', 'square', 'triangle', 'diamond'];

/** The style of the i-th run, from 0. Beyond the eighth they begin again. */
export function traceStyle(i: number, theme: 'light' | 'dark'): TraceStyle {
  const place = i % MOST_TRACES;
  return { color: COLORS[theme][place], dash: DASHES[place], mark: MARKS[place % MARKS.length] };
}
