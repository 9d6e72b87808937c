import { describe, expect, it } from 'vitest';

import { anySeed, seedProblem } from './seed';

describe('seedProblem', () => {
  it('takes whole numbers of 64 bits', () => {
    for (const seed of ['0', '1', '18446744073709551615', anySeed()]) expect(seedProblem(seed)).toBeNull();
  });

  it('says what is wrong with others', () => {
    for (const seed of ['', '-1', '1.5', 'seven']) expect(seedProblem(seed)).toContain('whole number');
    expect(seedProblem('007')).toContain('zeros');
    for (const seed of ['18446744073709551616', '123456789012345678901', '9'.repeat(400)])
      expect(seedProblem(seed)).toBe('At most 18446744073709551615');
    for (const seed of ['9223372036854775807', '9223372036854775808']) expect(seedProblem(seed)).toBeNull();
  });
});
