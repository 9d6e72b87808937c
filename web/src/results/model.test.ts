import { expect, test } from 'vitest';

import { firstMetric, type Cell } from './model';

const cell = (times: number[]) =>
  ({
    metrics: Object.fromEntries(
      Object.entries({ elapsed_s: times, goodput_bps: times.map(() => 1e6) }).map(([name, values]) => [
        name,
        { median: 0, mean: 0, q1: 0, q3: 0, min: 0, max: 0, values },
      ]),
    ),
  }) as unknown as Cell;

test('of transfers for a set time it is shown first how much arrived', () => {
  expect(firstMetric({ cells: [cell([60, 60]), cell([60, 60])] })).toBe('goodput_bps');
  expect(firstMetric({ cells: [cell([60, 61]), cell([60, 60])] })).toBe('elapsed_s');
  expect(firstMetric({ cells: [] })).toBe('elapsed_s');
});
