import { describe, expect, it } from 'vitest';

import { microseconds, percent } from './units';

describe('microseconds', () => {
  it('takes the unit that people read', () => {
    expect([0, 12.44, -3.2, 3100, 1_250_000].map(microseconds)).toEqual([
      '0.0 µs',
      '12.4 µs',
      '-3.2 µs',
      '3.1 ms',
      '1.25 s',
    ]);
  });
});

describe('percent', () => {
  it('keeps three digits of small parts', () => {
    expect([0, 0.02, 0.000312, -0.0005, 0.98765, 1].map(percent)).toEqual([
      '0 %',
      '2 %',
      '0.0312 %',
      '-0.05 %',
      '98.8 %',
      '100 %',
    ]);
  });
});
