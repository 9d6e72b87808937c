import { describe, expect, it } from 'vitest';

import { endsTheSame, withLimit } from './time-limit';

const LATE = { reason: 'still under way at the time limit', testbed: 'sim' } as const;

describe('a run that its time limit ended', () => {
  it('ends the same again if it is simulated', () => {
    expect(endsTheSame(LATE)).toBe(true);
    expect(endsTheSame({ ...LATE, testbed: 'netns' })).toBe(false);
    expect(endsTheSame({ ...LATE, reason: 'its worker was lost' })).toBe(false);
    expect(endsTheSame({ ...LATE, reason: null })).toBe(false);
  });

  it('names the limit where it is known', () => {
    expect(withLimit(LATE, 5)).toBe('still under way at the time limit (5 s)');
    expect(withLimit(LATE, null)).toBe(LATE.reason);
    // A live run has a limit of its own.
    expect(withLimit({ ...LATE, testbed: 'netns' }, 5)).toBe(LATE.reason);
  });
});
