import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { tally } from './tally';

type Told = Schema<'PaperExperiment'>;

const claim = (status: Schema<'ClaimTold'>['status']): Schema<'ClaimTold'> => ({
  id: 'c',
  text: 't',
  criterion: 'k',
  status,
  measured: null,
  testbed: null,
});
const experiment = (claims: Told['claims'], batch: Told['batch'] = null): Told => ({
  name: 'n',
  title: 't',
  description: '',
  source: 's',
  repetitions: 1,
  assumptions: [],
  under_way: null,
  batch,
  published: null,
  statistic: 'median',
  rows: [],
  claims,
});

describe('tally', () => {
  it('counts over all experiments, in one order', () => {
    const batch = { id: 1, created_at: '2026-01-01T00:00:00Z', repetitions: 3, seed: '1', engine: '0.1.0' };
    const told = tally([
      experiment([claim('not run')]),
      experiment([claim('not reproduced'), claim('reproduced'), claim('reproduced')], batch),
    ]);
    expect(told.run).toBe(1);
    expect(told.words).toBe('2 reproduced, 1 not reproduced, 1 not run');
  });

  it('has a word for nothing', () => {
    expect(tally([]).words).toBe('none');
  });
});
