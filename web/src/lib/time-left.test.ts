import { describe, expect, it } from 'vitest';

import { leftInWords, msLeft, withSeen, type Seen } from './time-left';

function seeing(...looks: readonly (readonly [number, number])[]): readonly Seen[] {
  return looks.reduce<readonly Seen[]>((seen, [s, ended]) => withSeen(seen, s * 1000, ended), []);
}

describe('the time that is left', () => {
  it('is the rest at the pace seen', () => {
    expect(msLeft(seeing([0, 10], [4, 14], [10, 20]), 100)).toBe(80_000);
  });

  it('is not told before there is a pace, and not at the end', () => {
    expect(msLeft([], 10)).toBeNull();
    expect(msLeft(seeing([0, 0], [2.9, 9]), 10)).toBeNull();
    expect(msLeft(seeing([0, 0], [60, 2]), 10)).toBeNull();
    expect(msLeft(seeing([0, 0], [60, 10]), 10)).toBeNull();
  });

  it('is of the last minute', () => {
    const seen = seeing([0, 0], [10, 100], [20, 110], [50, 140], [81, 171]);
    expect(seen[0]).toEqual({ at: 20_000, ended: 110 });
    expect(msLeft(seen, 181)).toBeCloseTo(10_000);
  });

  it('begins anew when runs are tried again', () => {
    expect(seeing([0, 0], [10, 10], [20, 5])).toEqual([{ at: 20_000, ended: 5 }]);
  });

  it('is told roughly', () => {
    expect([4, 44, 89, 100, 3600, 5400, 10_000].map((s) => leftInWords(s * 1000))).toEqual([
      'less than 10 s left',
      'about 40 s left',
      'about 90 s left',
      'about 2 min left',
      'about 60 min left',
      'about 2 h left',
      'about 3 h left',
    ]);
  });
});
