import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { firstPair, partQuery, rowsOf } from './rows';

type RunLine = Schema<'RunLine'>;

const run = (place: number, given: Partial<RunLine>): RunLine => ({
  id: place + 1,
  batch: 1,
  experiment: 'first-look',
  place,
  testbed: 'sim',
  variant: 'sack',
  link: 'gprs',
  repetition: 1,
  seed: '1',
  state: 'done',
  attempt: 1,
  worker: null,
  reason: null,
  cached: false,
  queued_at: '2026-01-01T00:00:00Z',
  started_at: null,
  ended_at: null,
  ...given,
});

describe('two runs that stand side by side', () => {
  const pairOf = (...runs: readonly RunLine[]) => firstPair(rowsOf(runs))?.map(({ id }) => id) ?? null;

  it('are of the first two variants, of one repetition of which both have a result', () => {
    const runs = [
      run(0, {}),
      run(1, { repetition: 2 }),
      run(2, { variant: 'frto+sack', state: 'failed' }),
      run(3, { variant: 'frto+sack', repetition: 2 }),
    ];
    expect(pairOf(...runs)).toEqual([2, 4]);
  });

  it('met the same link in the same testbed', () => {
    expect(pairOf(run(0, {}), run(1, { variant: 'newreno', link: 'edge' }))).toBeNull();
    expect(pairOf(run(0, {}), run(1, { variant: 'newreno', testbed: 'netns' }))).toBeNull();
    expect(pairOf(run(0, {}))).toBeNull();
  });

  it('are chosen on the comparison, with where they part', () => {
    const pair = [run(0, {}), run(1, { variant: 'frto+sack' })] as const;
    expect(partQuery(pair)).toBe('v=sack&v=frto%2Bsack&link=gprs&testbed=sim&repetition=1&part=frto%2Bsack');
  });
});
