import { describe, expect, it } from 'vitest';

import { givenOf, START, whatIsMissing } from './wanted';

const choices = { variants: ['sack', 'frto+sack'], links: ['gprs'] };
const wanted = { ...START, experiment: 'first-look', variant: 'frto+sack' };

describe('what is to be searched', () => {
  it('is asked for as it was said, without what was left open', () => {
    expect(givenOf({ ...wanted, against: 'sack', failIf: ' elapsed > 3 ' }, choices)).toEqual({
      experiment: 'first-look',
      variant: 'frto+sack',
      against: 'sack',
      worst: 'elapsed_s',
      budget: 200,
      kinds: 5,
      shrink: 400,
      confirm: 20,
      fail_if: 'elapsed > 3',
    });
    expect(givenOf({ ...wanted, space: '[events]\nmost = 1\n' }, choices)?.space).toBe(
      '[events]\nmost = 1\n',
    );
  });

  it('needs an experiment, and a variant and a link where there are several', () => {
    expect(whatIsMissing(START, { variants: [], links: [] })).toMatch(/experiment/);
    expect(whatIsMissing({ ...wanted, variant: null }, choices)).toMatch(/variant/);
    expect(whatIsMissing(wanted, { ...choices, links: ['gprs', 'edge'] })).toMatch(/link/);
    expect(whatIsMissing({ ...wanted, variant: null }, { variants: ['sack'], links: ['gprs'] })).toBeNull();
  });

  it('tries a whole number of links', () => {
    for (const budget of ['', 0, 1.5, 100_001]) {
      expect(whatIsMissing({ ...wanted, budget }, choices)).toMatch(/whole number/);
      expect(givenOf({ ...wanted, budget }, choices)).toBeNull();
    }
  });
});
