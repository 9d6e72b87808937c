import type { LearnedWay } from '../../series/learned';
import type { Line, Point } from '../reproduction/line-plot';

/** What was captured, and what was learned, in every figure: the first hue, the second, and then others. */
const CAPTURED = 0;
const LEARNED = 1;
const OTHER = 2;
const FOURTH = 4;

/** A prefix of bit rates, or of seconds. */
export interface Unit {
  readonly name: string;
  readonly size: number;
}

/** The rate of arrivals, and the learned rate. */
export function rateLines(way: LearnedWay, windowSeconds: number, unit: Unit): readonly Line[] {
  const arrivals: Line = {
    name: 'arrived',
    hue: CAPTURED,
    steps: true,
    points: stepsOf(way.arrivals_bps, windowSeconds, unit.size),
  };
  if (way.rate === null) return [arrivals];
  return [
    arrivals,
    { name: 'learned rate', hue: LEARNED, steps: true, dashed: true, points: pointsOf(way.rate, unit.size) },
  ];
}

/** The unit that the rates of a direction are written in. */
export function rateUnit(way: LearnedWay): Unit {
  const most = greatest([...way.arrivals_bps, ...(way.rate?.y ?? [])]);
  return RATES.find(({ size }) => most >= 2 * size) ?? RATES[RATES.length - 1];
}

/** How long packets took, and how long they take at least and at most over the learned link. */
export function transitLines(way: LearnedWay, lengthSeconds: number): readonly Line[] {
  const least = [0, lengthSeconds].map((x) => ({ x, y: way.delay_s / MS }));
  return [
    { name: 'packets', hue: CAPTURED, dots: true, joined: false, points: pointsOf(way.transits, MS) },
    { name: 'learned delay', hue: LEARNED, dashed: true, points: least },
    ...(way.full === null
      ? []
      : [
          {
            name: 'most with the learned queue',
            hue: OTHER,
            steps: true,
            dashed: true,
            points: pointsOf(way.full, MS),
          },
        ]),
  ];
}

/**
 * Up to where a figure of transit times is drawn, milliseconds: what few packets took, as those that holds kept, would
 * leave the others no room. Infinite if all have room.
 */
export function shownUntil(way: LearnedWay): number {
  const ends = way.distributions.map(({ seconds }) => ({
    most: seconds[Math.round(MOST * (seconds.length - 1))] / MS,
    all: seconds[seconds.length - 1] / MS,
  }));
  const most = 1.1 * greatest(ends.map((end) => end.most));
  return greatest(ends.map((end) => end.all)) > 2 * most ? most : Infinity;
}

/** Which share of packets took no longer than so many milliseconds. */
export function distributionLines(way: LearnedWay, played: string | null, until: number): readonly Line[] {
  const looks = {
    captured: { name: 'captured', hue: CAPTURED },
    'nothing waits': { name: 'learned, where nothing waits', hue: LEARNED, dashed: true },
    'full queue': { name: 'learned, where the queue is full', hue: OTHER, dashed: true },
    played: { name: `${played ?? ''} over the learned link`, hue: FOURTH },
  };
  return way.distributions.map(({ what, seconds }) => ({
    ...looks[what],
    points: seconds
      .map((x, i) => ({ x: x / MS, y: (100 * i) / (seconds.length - 1) }))
      .filter(({ x }) => x <= until),
  }));
}

/** How many packets were lost in each window: those of a kind that there is, and what the learned share expects. */
export function lossLines(way: LearnedWay, windowSeconds: number): readonly Line[] {
  const { queue, outage, channel, expected } = way.losses;
  const lines = [
    { name: 'lost on the channel', hue: CAPTURED, counts: channel },
    { name: 'found no room in the queue', hue: OTHER, counts: queue },
    { name: 'lost in outages', hue: FOURTH, counts: outage },
    { name: 'channel losses expected of what was learned', hue: LEARNED, dashed: true, counts: expected },
  ];
  return lines
    .filter(({ counts }) => counts.some((count) => count > 0))
    .map(({ counts, ...line }) => ({ ...line, steps: true, points: stepsOf(counts, windowSeconds, 1) }));
}

/** Values that hold for a window each; where the last one ends the line does. */
function stepsOf(values: readonly number[], windowSeconds: number, unit: number): readonly Point[] {
  const points = values.map((value, i) => ({ x: i * windowSeconds, y: value / unit }));
  const last = values.at(-1);
  return last === undefined ? [] : [...points, { x: values.length * windowSeconds, y: last / unit }];
}

function pointsOf(curve: { readonly x: readonly number[]; readonly y: readonly number[] }, unit: number) {
  return curve.x.map((x, i) => ({ x, y: curve.y[i] / unit }));
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

const MS = 1e-3;
const MOST = 0.975;
const RATES: readonly Unit[] = [
  { name: 'Gbit/s', size: 1e9 },
  { name: 'Mbit/s', size: 1e6 },
  { name: 'kbit/s', size: 1e3 },
  { name: 'bit/s', size: 1 },
];
