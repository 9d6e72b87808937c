import { describe, expect, it } from 'vitest';

import { MinMaxPyramid } from './pyramid';

describe('MinMaxPyramid', () => {
  it('agrees with a scan over every range of a few sizes', () => {
    for (const size of [0, 1, 15, 16, 17, 255, 257, 700]) {
      const values = Float64Array.from({ length: size }, (_, i) => (i * 7919) % 1013);
      const pyramid = new MinMaxPyramid(values);
      for (let from = 0; from <= size; from += 13) {
        for (let to = from; to <= size; to += 11) {
          const range = [...values.subarray(from, to)];
          expect(pyramid.min(from, to)).toBe(Math.min(...range));
          expect(pyramid.max(from, to)).toBe(Math.max(...range));
        }
      }
    }
  });

  it('clips a range that reaches beyond the column', () => {
    const pyramid = new MinMaxPyramid(Float64Array.of(4, 2, 9));
    expect(pyramid.max(-5, 50)).toBe(9);
    expect(pyramid.min(-5, 50)).toBe(2);
  });
});
