import { describe, expect, it } from 'vitest';

import { ns } from '../../lib/brand';
import { Truth } from '../../series/types';
import { marksWithin, passes, viewOf, type Mark } from './marks';

const timeout = (t: number, truth: number, answer: string | null, right: boolean | null): Mark => ({
  kind: 'timeout',
  t: ns(t),
  truth,
  answer,
  right,
});
const MARKS = [
  timeout(10, Truth.Spurious, 'spurious', true),
  timeout(25, Truth.Genuine, null, null),
  timeout(30, Truth.Genuine, 'spurious', false),
];
const SPANS = [
  { onset_ns: 5, ended_ns: 12, recovered_ns: 14 },
  { onset_ns: 20, ended_ns: null, recovered_ns: null },
];

describe('timeouts of an episode', () => {
  it('are those from its onset on, until the next begins', () => {
    expect(marksWithin(MARKS, SPANS, 0)).toEqual([MARKS[0]]);
    expect(marksWithin(MARKS, SPANS, 1)).toEqual([MARKS[1], MARKS[2]]);
  });

  it('say which episodes are listed', () => {
    const passing = (filter: 'all' | 'spurious' | 'wrong') =>
      SPANS.map((_, i) => passes(filter, marksWithin(MARKS, SPANS, i)));
    expect(passing('all')).toEqual([true, true]);
    expect(passing('spurious')).toEqual([true, false]);
    expect(passing('wrong')).toEqual([false, true]);
  });
});

describe('the view of an episode', () => {
  it('has some of what came before and after', () => {
    const { t0, t1 } = viewOf(SPANS[0], ns(100));
    expect(t0).toBeLessThan(5);
    expect(t1).toBeGreaterThan(14);
  });

  it('goes to the end of the run where the sender did not recover', () => {
    expect(viewOf(SPANS[1], ns(100)).t1).toBeGreaterThanOrEqual(100);
  });
});
