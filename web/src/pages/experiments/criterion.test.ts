import { describe, expect, it } from 'vitest';

import { criterionOf } from './criterion';

describe('how a claim is decided', () => {
  const claim = { metric: 'm', left: 'x', right: 'y', statistic: 'mean' } as const;

  it('names statistic, metric and both sides', () => {
    expect(criterionOf({ ...claim, statistic: 'median', relation: '<' })).toBe('median m: x < y');
  });

  it('says factors and tolerances', () => {
    expect(criterionOf({ ...claim, relation: '<', factor: 0.5 })).toBe('mean m: x < 0.5 × y');
    expect(criterionOf({ ...claim, relation: 'within', tolerance: 0.05 })).toBe('mean m: x within y by 5 %');
  });

  it('has the number where there is one in place of a variant', () => {
    expect(criterionOf({ ...claim, relation: '<', right: null, value: 3 })).toBe('mean m: x < 3');
  });
});
