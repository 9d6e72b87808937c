import { describe, expect, it } from 'vitest';

import { lastAtMost, lowerBound, stepRange, upperBound } from './search';

const column = Float64Array.of(1, 3, 3, 3, 8);

describe('binary search', () => {
  it('finds the first of equals and the one after the last', () => {
    expect(lowerBound(column, 3)).toBe(1);
    expect(upperBound(column, 3)).toBe(4);
    expect(lowerBound(column, 9)).toBe(5);
    expect(upperBound(column, 0)).toBe(0);
  });

  it('finds the value in force at an instant', () => {
    expect(lastAtMost(column, 0.5)).toBe(-1);
    expect(lastAtMost(column, 7)).toBe(3);
    expect(lastAtMost(column, 8)).toBe(4);
  });

  it('gives a step line the value before its window', () => {
    expect(stepRange(column, 2, 4)).toEqual([0, 5]);
    expect(stepRange(column, 100, 200)).toEqual([4, 5]);
  });

  it('agrees with a linear scan on random columns', () => {
    let state = 7;
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 50; round++) {
      const values = Float64Array.from({ length: 40 }, () => Math.floor(random() * 20)).sort();
      const wanted = Math.floor(random() * 22) - 1;
      const linear = [...values].findIndex((value) => value >= wanted);
      expect(lowerBound(values, wanted)).toBe(linear < 0 ? values.length : linear);
    }
  });
});
