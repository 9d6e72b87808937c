import { describe, expect, it } from 'vitest';

import type { Resolved } from '../../parts/use-resolved';
import { askedIn, sidesOf } from './two-sides';

const resolved = (variants: readonly string[], links: readonly string[]): Resolved => ({
  variants: variants.map((name) => ({ name, title: name })),
  links: links.map((name) => ({ name, title: name })),
  timeLimitS: null,
});
const OLD = resolved(['sack', 'frto'], ['gprs', 'lte']);
const sides = (address: string, first: Resolved, second: Resolved) => {
  const params = new URLSearchParams(address);
  return sidesOf({ ...askedIn(params, 'a'), batch: 1 }, { ...askedIn(params, 'b'), batch: 2 }, first, second);
};

describe('two sides', () => {
  it('are the first variant that both batches have, on all links that both have', () => {
    expect(sides('', OLD, resolved(['bbr', 'frto'], ['lte']))).toEqual([
      { batch: 1, variant: 'frto', link: null },
      { batch: 2, variant: 'frto', link: null },
    ]);
  });

  it('are what the address says', () => {
    expect(sides('va=sack&vb=frto&la=gprs&lb=lte', OLD, OLD)).toEqual([
      { batch: 1, variant: 'sack', link: 'gprs' },
      { batch: 2, variant: 'frto', link: 'lte' },
    ]);
    expect(sides('la=gprs', OLD, OLD)?.map(({ link }) => link)).toEqual(['gprs', 'gprs']);
  });

  it('are on the first link of each where they have none in common, and never on one that is not there', () => {
    const other = resolved(['sack'], ['dsl']);
    expect(sides('', OLD, other)?.map(({ link }) => link)).toEqual(['gprs', 'dsl']);
    expect(sides('va=x&la=x', OLD, other)).toEqual(sides('', OLD, other));
    expect(sides('', resolved([], []), other)).toBeNull();
  });

  it('have a number, or none', () => {
    expect(askedIn(new URLSearchParams('a=12&b=x'), 'a').batch).toBe(12);
    expect(askedIn(new URLSearchParams('a=12&b=x'), 'b').batch).toBeNull();
  });
});
