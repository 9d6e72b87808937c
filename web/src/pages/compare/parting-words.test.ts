import { describe, expect, it } from 'vitest';

import { longerInWords, originInWords } from './parting-words';

describe('a kind of first differences', () => {
  it('says who did otherwise first', () => {
    expect(originInWords('sender')).toBe('the sender');
    expect(originInWords('unknown')).toBe('not known');
    expect(originInWords('a word of a newer engine')).toBe('not known');
  });

  it('says how much longer B took, with a sign', () => {
    expect(longerInWords(1.25)).toBe('+1.250 s');
    expect(longerInWords(-0.5)).toBe('−0.500 s');
    expect(longerInWords(0)).toBe('0.000 s');
    expect(longerInWords(null)).toBe('–');
  });
});
