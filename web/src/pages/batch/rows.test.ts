import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { firstPair, partQuery, rowsOf } from './rows';
import { runLine } from '../../testing/run-line';

type RunLine = Schema<'RunLine'>;

const run = (place: number, given: Partial<RunLine>): RunLine => runLine({ id: place + 1, place, ...given });

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
