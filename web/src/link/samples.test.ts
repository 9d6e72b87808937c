import { describe, expect, it } from 'vitest';

import { withSamplesInBrief } from './samples';

describe('an empirical distribution in words', () => {
  it('of many samples is told by their number and range', () => {
    const many = 'down: holds for empirical(3 s, 250 ms, 1.5 s, 4 s, 12 ms, 1 s, 2 s), then goes on';
    expect(withSamplesInBrief(many)).toBe('down: holds for empirical(7 samples, 12 ms to 4 s), then goes on');
  });

  it('keeps few samples, the name of a file, and other distributions', () => {
    for (const text of [
      'delay empirical(3 s, 250 ms)',
      'delay empirical(delays.csv)',
      'delay uniform(0.1 s, 20 s)',
      'delay empirical(a, b, c, d, e, f, g)',
    ]) {
      expect(withSamplesInBrief(text)).toBe(text);
    }
  });
});
