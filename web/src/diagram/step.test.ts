import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { nextInstant, nextSegment } from './step';

const t = Float64Array.from([10, 20, 30, 40]);
const view = { t0: ns(15), t1: ns(35), y: null };

describe('a step', () => {
  it('begins at the edge of the view and goes on from a segment', () => {
    expect(nextSegment(t, view, -1, 1)).toBe(1);
    expect(nextSegment(t, view, -1, -1)).toBe(2);
    expect(nextSegment(t, view, 2, 1)).toBe(3);
  });

  it('stays at the ends', () => {
    expect(nextSegment(t, view, 3, 1)).toBe(3);
    expect(nextSegment(t, view, 0, -1)).toBe(0);
    expect(nextInstant(t, 40, 1)).toBe(3);
    expect(nextInstant(t, 5, -1)).toBe(0);
  });

  it('goes past the instant it is at', () => {
    expect(nextInstant(t, 20, 1)).toBe(2);
    expect(nextInstant(t, 20, -1)).toBe(0);
    expect(nextInstant(t, 25, -1)).toBe(1);
  });

  it('has nowhere to go where there is nothing', () => {
    expect(nextSegment(new Float64Array(), view, -1, 1)).toBeNull();
    expect(nextInstant(new Float64Array(), 0, -1)).toBeNull();
  });
});
