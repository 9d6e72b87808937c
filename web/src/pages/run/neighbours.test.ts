import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { neighboursOf } from './neighbours';

const run = (id: number, variant: string, repetition: number) =>
  ({ id, variant, repetition }) as Schema<'RunLine'>;
const RUNS = [
  run(1, 'sack', 1),
  run(2, 'frto+sack', 1),
  run(7, 'sack', 3),
  run(4, 'sack', 2),
  run(5, 'frto+sack', 2),
];

describe('the runs beside a run', () => {
  it('are the repetitions before and after, and the other variants of its own', () => {
    const { previous, next, variants } = neighboursOf(run(4, 'sack', 2), RUNS);
    expect([previous?.id, next?.id, variants.map(({ id }) => id)]).toEqual([1, 7, [5]]);
  });

  it('are none at the ends', () => {
    expect(neighboursOf(run(1, 'sack', 1), RUNS).previous).toBeNull();
    expect(neighboursOf(run(7, 'sack', 3), RUNS)).toMatchObject({ next: null, variants: [] });
  });
});
