import { describe, expect, it } from 'vitest';

import { EVERY, shownVariants, type About } from './variant-filter';

const VARIANTS = new Map([
  ['frto+sack', 'F-RTO with SACK'],
  ['linux', 'Linux'],
  ['newreno', 'NewReno'],
  ['sack', 'SACK'],
]);
const about = (recovery: string, detection: string): About => ({
  description: `recovers by ${recovery}`,
  ours: recovery !== '',
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
