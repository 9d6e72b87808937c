import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { remedy, troublesOf } from './troubles';

const run = (id: number, state: Schema<'RunLine'>['state'], reason: string | null) =>
  ({ id, state, reason }) as Schema<'RunLine'>;

describe('troublesOf', () => {
  it('puts together what has the same reason, the most frequent first', () => {
    const troubles = troublesOf([
      run(1, 'failed', 'the engine was killed'),
      run(2, 'done', null),
      run(3, 'invalid', 'late by 12.5 us'),
      run(4, 'invalid', 'late by 7 us'),
      run(5, 'queued', 'its worker was lost'),
      run(6, 'invalid', 'it stood still'),
    ]);
    expect(
      troubles.map(({ state, reason, exact, runs }) => [state, reason, exact, runs.map(({ id }) => id)]),
    ).toEqual([
      ['invalid', 'late by 12.5 us', false, [3, 4]],
      ['failed', 'the engine was killed', true, [1]],
      ['invalid', 'it stood still', true, [6]],
    ]);
  });

  it('says what to do about each', () => {
    expect(remedy('invalid', [run(1, 'invalid', 'late')])).toContain('machine');
    const killed = run(1, 'failed', 'the engine was killed');
    const late = { ...run(2, 'failed', 'still under way at the time limit'), testbed: 'sim' } as const;
    expect(remedy('failed', [killed, late])).toContain('try again');
    expect(remedy('failed', [late])).toContain('trying again does not help');
  });
});
