import { describe, expect, it } from 'vitest';

import { ago } from './time';

describe('ago', () => {
  it('takes the largest unit that fits', () => {
    const now = 10 * 86_400_000;
    expect(ago(now - 3_000, now)).toBe('just now');
    expect(ago(now - 42_000, now)).toBe('42 seconds ago');
    expect(ago(now - 3 * 60_000, now)).toBe('3 minutes ago');
    expect(ago(now - 5 * 3_600_000, now)).toBe('5 hours ago');
    expect(ago(now - 86_400_000, now)).toBe('yesterday');
  });

  it('does not tell the future, however clocks differ', () => {
    expect(ago(5_000, 0)).toBe('just now');
  });
});
