/**
 * The colours of the diagram. The hues are those of Okabe and Ito, which people of every colour vision tell apart,
 * darkened on white (lightened on black) until each line stands out at 3:1 and each text at 4.5:1. One meaning, one
 * colour: vermillion is what need not have been (unnecessary, spurious), blue what had to be (necessary, genuine).
 */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly axis: string;
  readonly lane: string;
  readonly segment: string;
  readonly necessary: string;
  readonly unnecessary: string;
  readonly unknown: string;
  readonly ack: string;
  readonly window: string;
  readonly sack: string;
  readonly dsack: string;
  readonly arrival: string;
  readonly drop: string;
  readonly hold: string;
  readonly outage: string;
  readonly bad: string;
  readonly queue: string;
  /** The two directions of the link, wherever both stand in one plot. */
  readonly down: string;
  readonly up: string;
  /** A setting of the link that changes. */
  readonly setting: string;
  readonly selection: string;
}

export const LIGHT: Palette = {
  background: '#ffffff',
  text: '#1f2328',
  muted: '#57606a',
  grid: '#e9ebee',
  axis: '#8c959f',
  lane: '#f7f8f9',
  segment: '#343a42',
  necessary: '#0072b2',
  unnecessary: '#d55e00',
  unknown: '#6e7781',
  ack: '#00865f',
  window: '#b97a00',
  sack: '#b8609a',
  dsack: '#7d2f63',
  arrival: '#7d8590',
  drop: '#1f2328',
  hold: '#56b4e9',
  outage: '#7a6f66',
  bad: '#e0c400',
  queue: '#2a8ac4',
  down: '#0b7285',
  up: '#8a5a2b',
  setting: '#5b7f3a',
  selection: '#6f42c1',
};

export const DARK: Palette = {
  background: '#12161c',
  text: '#e6edf3',
  muted: '#9ea9b5',
  grid: '#222a33',
  axis: '#66717d',
  lane: '#161b22',
  segment: '#c3ccd6',
  necessary: '#5cb8f2',
  unnecessary: '#ff8b3d',
  unknown: '#8b949e',
  ack: '#2fc79a',
  window: '#e3b341',
  sack: '#dd9cc6',
  dsack: '#f3cde5',
  arrival: '#77818c',
  drop: '#f0f4f8',
  hold: '#4a9fd0',
  outage: '#a3978c',
  bad: '#d6c63a',
  queue: '#58b0e6',
  down: '#4fd1d9',
  up: '#d2a679',
  setting: '#a3c76d',
  selection: '#b392f0',
};
