import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { GRADES } from '../../series/statements';
import { MEANING, tally } from './tally';

const experiment = (batch: Schema<'PaperBatch'> | null): Schema<'PaperExperiment'> => ({
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
  claims: [],
});

describe('tally', () => {
  it('counts statements by grade, the surest first, with what is not checked', () => {
    const batch = { id: 1, created_at: '2026-01-01T00:00:00Z', repetitions: 3, seed: '1', engine: '0.1.0' };
    const counts = tally({
      experiments: [experiment(null), experiment(batch)],
      counts: { 'not checked': 4, supported: 2, 'within noise': 1, 'in part': 0 },
    });
    expect(counts.run).toBe(1);
    expect(counts.words).toBe('2 of 7 statements supported, 1 within noise, 4 not checked');
  });

  it('has a meaning for each grade', () => {
    expect(Object.keys(MEANING)).toEqual(GRADES);
  });
});
