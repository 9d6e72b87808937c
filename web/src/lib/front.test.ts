import { describe, expect, it } from 'vitest';

import { frontOf } from './front';

describe('the front of a search', () => {
  it('is the worst so far, whichever way is worse', () => {
    expect(frontOf([1, 2, 5, 6], [3, 2, 7, 5], true).worst).toEqual([3, 3, 7, 7]);
    expect(frontOf([1, 2, 5, 6], [3, 2, 7, 5], false).worst).toEqual([3, 2, 2, 2]);
  });

  it('is drawn by logarithms where positive values are far apart', () => {
    expect(frontOf([1, 2], [1, 21], true).wide).toBe(true);
    expect(frontOf([1, 2], [1, 20], true).wide).toBe(false);
    expect(frontOf([1, 2], [-1, 100], true).wide).toBe(false);
    expect(frontOf([1, 2], [0, 100], true).wide).toBe(false);
  });

  it('may be empty, or long', () => {
    expect(frontOf([], [], true)).toEqual({ trials: [], values: [], worst: [], wide: false });
    const many = Array.from({ length: 200_000 }, (_, i) => i + 1);
    expect(frontOf(many, many, true).worst.at(-1)).toBe(200_000);
  });
});
