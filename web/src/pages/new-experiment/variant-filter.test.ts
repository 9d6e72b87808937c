import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { EVERY, isNarrowed, shownVariants, SUGGESTED, suggestedOf, type About } from './variant-filter';

const VARIANTS = new Map([
  ['frto+sack', 'F-RTO with SACK'],
  ['linux', 'Linux'],
  ['newreno', 'NewReno'],
  ['sack', 'SACK'],
]);
const about = (recovery: string, detection: string): About => ({
  description: `recovers by ${recovery}`,
  ours: recovery !== '',
  own: false,
  recovery,
  detection,
});
const ABOUT = new Map([
  ['frto+sack', about('sack', 'frto')],
  ['linux', about('', '')],
  ['newreno', about('newreno', 'none')],
  ['sack', about('sack', 'none')],
]);

describe('the variants that are shown', () => {
  const names = (filter: Partial<typeof EVERY>, chosen: readonly string[] = []) =>
    shownVariants(VARIANTS, ABOUT, { ...EVERY, ...filter }, chosen).map(([name]) => name);

  it('are all of them without a filter, in their order', () => {
    expect(names({})).toEqual([...VARIANTS.keys()]);
  });

  it('are those that a search means, what is called so first', () => {
    expect(names({ words: 'sack' })).toEqual(['sack', 'frto+sack']);
    expect(names({ words: 'recovers newreno' })).toEqual(['newreno']);
  });

  it('are those with these mechanisms', () => {
    expect(names({ recovery: 'sack' })).toEqual(['frto+sack', 'sack']);
    expect(names({ recovery: 'sack', detection: 'none' })).toEqual(['sack']);
  });

  it('have those that are chosen in any case', () => {
    expect(names({ detection: 'frto' }, ['newreno'])).toEqual(['frto+sack', 'newreno']);
  });
});

describe('the variants that are suggested', () => {
  it('are all shipped', () => {
    const missing = SUGGESTED.filter(
      (name) => !existsSync(new URL(`../../../../profiles/variants/${name}.toml`, import.meta.url)),
    );
    expect(missing).toEqual([]);
  });

  it('stand with those of one’s own and those that are chosen, and no others', () => {
    const variants = [
      ...VARIANTS,
      ['mine', 'Mine'] as const,
      ['tahoe', 'Tahoe'] as const,
      ['fack', 'FACK'] as const,
    ];
    const all = new Map([...ABOUT, ['mine', { ...about('sack', 'none'), own: true }] as const]);
    const names = suggestedOf(variants, all, ['tahoe']).map(([name]) => name);
    expect(names).toEqual(['frto+sack', 'linux', 'newreno', 'sack', 'mine', 'tahoe']);
  });

  it('do not stand in the way of who looks for something', () => {
    expect(isNarrowed(EVERY)).toBe(false);
    expect(isNarrowed({ ...EVERY, words: ' ' })).toBe(false);
    expect(isNarrowed({ ...EVERY, words: 'f' })).toBe(true);
    expect(isNarrowed({ ...EVERY, detection: 'none' })).toBe(true);
  });
});
