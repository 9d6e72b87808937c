import { describe, expect, it } from 'vitest';

import { figuresOf } from './figures';

describe('figuresOf', () => {
  it('counts a trace over whole windows of half a second, and what is left in its mean alone', () => {
    const figures = figuresOf({ kind: 'trace', milliseconds: [0, 100, 200, 499, 500, 1000, 1250] });
    expect(figures).toMatchObject({ kind: 'rate', count: 7, durationS: 1.25 });
    expect(figures.mean).toBeCloseTo((7 * 12_032) / 1.25);
    expect(figures.greatest).toBeCloseTo((4 * 12_032) / 0.5);
    expect(figures.least).toBeCloseTo(12_032 / 0.5);
    expect(figures.x).toEqual([0, 0.5, 1]);
    expect(figures.y).toHaveLength(3);
  });

  it('has one window for a trace that is shorter than that', () => {
    expect(figuresOf({ kind: 'trace', milliseconds: [100, 250] })).toMatchObject({
      x: [0, 0.25],
      greatest: (2 * 12_032) / 0.25,
    });
  });

  it('has no rate where a window of a trace is empty', () => {
    expect(figuresOf({ kind: 'trace', milliseconds: [0, 1500] }).least).toBe(0);
  });

  it('puts what stands on the end into the last window', () => {
    expect(figuresOf({ kind: 'trace', milliseconds: [500] }).y).toEqual([24_064, 24_064]);
  });

  it('weighs steps by how long they hold', () => {
    const figures = figuresOf({ kind: 'steps', atS: [0, 1, 4], bps: [100, 200, 900], offS: 0 });
    expect(figures).toMatchObject({ durationS: 4, mean: 175, least: 100, greatest: 900 });
    expect(figuresOf({ kind: 'steps', atS: [0], bps: [100], offS: 0 }).mean).toBe(100);
  });

  it('sorts delays into their distribution', () => {
    const figures = figuresOf({ kind: 'delays', seconds: [0.3, 0.1, 0.2, 0.6] });
    expect(figures).toMatchObject({ count: 4, least: 0.1, greatest: 0.6, durationS: null });
    expect(figures.median).toBeCloseTo(0.25);
    expect(figures.mean).toBeCloseTo(0.3);
    expect(figures.y).toEqual([0.25, 0.5, 0.75, 1]);
    expect(figuresOf({ kind: 'delays', seconds: [3, 1, 2] }).median).toBe(2);
  });

  it('takes recordings of any length', () => {
    const milliseconds = Array.from({ length: 300_000 }, (_, i) => i * 10);
    expect(figuresOf({ kind: 'trace', milliseconds }).greatest).toBeCloseTo(1_203_200);
  });
});
