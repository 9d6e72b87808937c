import { describe, expect, it } from 'vitest';

import { wrongWithin } from './problems';

describe('what is wrong within a table', () => {
  it('has the rest of its key', () => {
    const problems = [
      { key: 'both.rate.steps[0].at', message: 'a' },
      { key: 'both.rate', message: 'b' },
      { key: 'up.rate.period', message: 'c' },
      { key: 'both.rates', message: 'd' },
      { key: 'both.rate', message: 'e' },
      { message: 'f' },
    ];
    expect(wrongWithin(problems, 'both.rate')).toEqual({ 'steps[0].at': 'a', '': 'b' });
    expect(wrongWithin(problems, 'both.rate', 'up.rate')).toEqual({
      'steps[0].at': 'a',
      '': 'b',
      period: 'c',
    });
  });
});
