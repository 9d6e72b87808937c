import { describe, expect, it } from 'vitest';

import { lengthInWords, rounded } from './roughly';

describe('an estimated number', () => {
  it('has two digits that count', () => {
    expect([0, 7, 123, 98_765].map(rounded)).toEqual([0, 7, 120, 99_000]);
  });

  it('says lengths as people do', () => {
    expect([0.2, 1, 45, 119, 120, 7199, 7200, 172_800].map(lengthInWords)).toEqual([
      'less than a second',
      '1 second',
      '45 seconds',
      '119 seconds',
      '2 minutes',
      '120 minutes',
      '2 hours',
      '2 days',
    ]);
  });
});
