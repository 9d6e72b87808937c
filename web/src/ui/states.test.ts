import { describe, expect, it } from 'vitest';

import { countOf, countsInWords, missingInWords, RETRIED } from './states';

describe('countsInWords', () => {
  it('names the states that there are', () => {
    expect(countsInWords({ done: 12, running: 2, queued: 16 }, 30)).toBe(
      '12 of 30 runs done, 2 handed to a worker, 16 queued',
    );
    expect(countsInWords({ failed: 1 }, 1)).toBe('0 of 1 run done, 1 failed');
    expect(countsInWords({}, 0)).toBe('no runs');
  });
});

describe('missingInWords', () => {
  it('names what became of runs that have no result', () => {
    expect(missingInWords({ done: 5, cancelled: 35, failed: 2 })).toBe('2 failed, 35 cancelled');
    expect(missingInWords({ done: 5 })).toBe('');
  });
});

describe('countOf', () => {
  it('counts what can be tried again', () => {
    expect(countOf({ done: 5, failed: 2, cancelled: 1 }, RETRIED)).toBe(3);
  });
});
