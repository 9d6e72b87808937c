import { describe, expect, it } from 'vitest';

import { isNarrowed, queryOf, wantedIn } from './filters';

const wanted = (address: string) => wantedIn(new URLSearchParams(address));

describe('which batches are looked for', () => {
  it('is read from the address, and asked of the API', () => {
    const all = wanted('experiment=first-look&tag=thesis&tag=draft&state=ended&testbed=netns&order=oldest');
    expect(queryOf(all, ' late ')).toEqual({
      experiment: 'first-look',
      tag: ['thesis', 'draft'],
      state: 'ended',
      testbed: 'netns',
      order: 'oldest',
      words: 'late',
    });
    expect(queryOf(wanted(''), '')).toEqual({});
  });

  it('leaves out what nobody can ask for', () => {
    expect(queryOf(wanted('state=tired&testbed=moon&order=random&tag=a%2Cb'), '')).toEqual({});
    expect(queryOf(wanted(''), 'x'.repeat(200)).words).toHaveLength(100);
  });

  it('is all of them unless something is left out', () => {
    expect(isNarrowed(wanted('order=oldest'), '')).toBe(false);
    for (const one of ['experiment=x', 'tag=a', 'state=ended', 'testbed=sim'])
      expect(isNarrowed(wanted(one), '')).toBe(true);
    expect(isNarrowed(wanted(''), 'late')).toBe(true);
  });
});
