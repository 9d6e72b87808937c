import { describe, expect, it } from 'vitest';

import { criterionOf, readResolved } from './resolved';

describe('what an experiment stands for', () => {
  it('is read from the engine’s answer', () => {
    const told = readResolved({
      seed: '7',
      repetitions: 3,
      links: [{ name: 'gprs', title: 'GPRS', summary: ['down: slow'] }],
      variants: [{ name: 'sack', title: 'SACK' }],
      live: { variants: ['linux'] },
      workload: { name: 'bulk', title: 'Bulk', summary: ['9 B'] },
      claims: [{ id: 'a', text: 'A', metric: 'm', left: 'x', relation: '<', right: 'y' }],
    });
    expect(told).toMatchObject({
      seed: '7',
      links: [{ name: 'gprs', summary: ['down: slow'] }],
      variants: [{ name: 'sack', summary: [] }],
      live: ['linux'],
      workload: { name: 'bulk' },
      claims: [{ criterion: 'median m: x < y' }],
    });
  });

  it('is empty where the engine says nothing', () => {
    expect(readResolved(null)).toMatchObject({
      links: [],
      workload: null,
      repetitions: null,
      published: null,
    });
  });

  it('says factors and tolerances', () => {
    const claim = { metric: 'm', left: 'x', right: 'y', statistic: 'mean' };
    expect(criterionOf({ ...claim, relation: '<', factor: 0.5 })).toBe('mean m: x < 0.5 × y');
    expect(criterionOf({ ...claim, relation: 'within', tolerance: 0.05 })).toBe('mean m: x within y by 5 %');
  });
});
