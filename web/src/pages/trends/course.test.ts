import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { differing, labelled, levelsOf, marksOf, placesOf, reachOf, stretchesOf } from './course';

const point = (batch: number, value: number, low: number | null = null, high: number | null = null) => ({
  batch,
  runs: 6,
  median: { value, low, high, at_least: false },
  comparable: true,
  apart: [],
});
const change = (last_before: number, batch: number, before: number, after: number) => ({
  batch,
  last_before,
  before,
  after,
  p: 0.001,
  ratio: null,
  difference: null,
  text: '',
  apart: [],
});
const SERIES: Schema<'TrendSeriesView'> = {
  variant: 'sack',
  link: 'gprs',
  testbed: 'sim',
  points: [point(3, 10, 9, 11), point(5, 10), point(8, 12), point(9, 8)],
  p: 0.001,
  p_adjusted: 0.001,
  changes: [change(5, 8, 10, 12), change(8, 9, 12, 8)],
  note: null,
};
const BATCHES = [3, 4, 5, 8, 9];

describe('the course of a series', () => {
  it('has a level before, between and after its changes', () => {
    expect(placesOf(SERIES, BATCHES)).toEqual([0, 2, 3, 4]);
    expect(levelsOf(SERIES, BATCHES)).toEqual([
      { from: 0, to: 2, value: 10 },
      { from: 3, to: 3, value: 12 },
      { from: 4, to: 4, value: 8 },
    ]);
    expect(levelsOf({ ...SERIES, changes: [] }, BATCHES)).toEqual([]);
  });

  it('is cut where a point is not comparable, and no level reaches across', () => {
    const points = [point(3, 1), { ...point(4, 30), comparable: false }, point(5, 10), point(8, 12)];
    const series = { ...SERIES, points, changes: [change(5, 8, 10, 12)] };
    expect(stretchesOf(series).map((stretch) => stretch.map(({ batch }) => batch))).toEqual([[3], [4, 5, 8]]);
    expect(levelsOf(series, BATCHES)).toEqual([
      { from: 1, to: 2, value: 10 },
      { from: 3, to: 3, value: 12 },
    ]);
  });

  it('names what differs once, and how much more there is', () => {
    const row = (what: Schema<'ApartView'>['what'], key: string | null) => ({
      what,
      key,
      baseline: '1',
      candidate: '2',
    });
    expect(differing([row('workload', null), row('workload', 'sets.1.flows'), row('workload', null)])).toBe(
      'workload, workload sets.1.flows',
    );
    expect(differing(Array.from({ length: 9 }, (_, i) => row('link', `${i}`)))).toMatch(
      /^link 0, .* and 3 more$/,
    );
  });

  it('reaches as far as its intervals, and never below 0 where nothing does', () => {
    const [low, high] = reachOf([SERIES]);
    expect(low).toBeCloseTo(7.68);
    expect(high).toBeCloseTo(12.32);
    expect(reachOf([{ ...SERIES, points: [point(3, 0)] }])).toEqual([0, 0.08]);
  });

  it('has round marks on its axis', () => {
    const labels = (low: number, high: number) => marksOf([low, high], 4).map(({ label }) => label);
    expect(labels(3.91, 9.9)).toEqual(['4', '6', '8']);
    expect(labels(0.12, 0.31)).toEqual(['0.15', '0.20', '0.25', '0.30']);
    expect(labels(940_000, 2_100_000)).toEqual(['1,000,000', '1,500,000', '2,000,000']);
  });

  it('is labelled as densely as there is room', () => {
    expect(labelled(5, 10)).toEqual([0, 1, 2, 3, 4]);
    expect(labelled(10, 4)).toEqual([0, 3, 6, 9]);
  });
});
