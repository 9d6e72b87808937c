import { describe, expect, it } from 'vitest';

import { confirmedInWords, howFar, valueInWords, valueTitle } from './words';

describe('a search in words', () => {
  it('says what its values are', () => {
    const of = { worst: 'elapsed_s', against: 'sack' };
    expect(valueTitle({ ...of, by: 'ratio' })).toBe('Elapsed time, ratio to sack');
    expect(valueTitle({ ...of, by: 'difference' })).toBe('Elapsed time (s), difference to sack');
    expect(valueTitle({ ...of, against: null, by: 'value' })).toBe('Elapsed time (s)');
    expect(valueTitle({ ...of, by: null })).toBe('Elapsed time (s)');
  });

  it('writes values with the digits that tell them apart', () => {
    expect(valueInWords(1.33456)).toBe('1.335');
    expect(valueInWords(45.2)).toBe('45.2');
    expect(valueInWords(123456.7)).toBe('123,457');
  });

  it('says how far it is', () => {
    const search: Parameters<typeof howFar>[0] = {
      state: 'running',
      tried: 10,
      budget: 200,
      worst: 'elapsed_s',
      against: null,
      by: 'value',
      found: [],
    };
    expect(howFar(search)).toMatch(/^It tries links/);
    expect(howFar({ ...search, tried: 230 })).toContain('30 links tried for that');
    expect(howFar({ ...search, state: 'waiting' })).toContain('10 links are known already');
    expect(howFar({ ...search, state: 'done' })).toContain('no link was so much worse');
  });

  it('says how often a finding came back', () => {
    expect(confirmedInWords({ failed: 19, runs: 20, interval: [0.751, 0.999] })).toBe(
      'it failed again on 19 of 20 fresh seeds (95 %: 75 % to 100 %)',
    );
    expect(confirmedInWords({ failed: 1, runs: 1, interval: null })).toContain('nothing is random');
  });
});
