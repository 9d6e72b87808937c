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
      run(3, 'invalid', 'late'),
      run(4, 'invalid', 'late'),
      run(5, 'queued', 'its worker was lost'),
    ]);
    expect(troubles.map(({ state, reason, runs }) => [state, reason, runs.map(({ id }) => id)])).toEqual([
      ['invalid', 'late', [3, 4]],
      ['failed', 'the engine was killed', [1]],
    ]);
  });

  it('says what to do about each', () => {
    expect(remedy({ state: 'invalid' })).toContain('machine');
    expect(remedy({ state: 'failed' })).toContain('try again');
  });
});
