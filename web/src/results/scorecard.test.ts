import { expect, test } from 'vitest';

import { mostTimeouts } from './scorecard';

const cell = (counts: Record<string, number[]>) => ({
  metrics: Object.fromEntries(
    Object.entries(counts).map(([name, values]) => [
      name,
      { median: 0, mean: 0, q1: 0, q3: 0, min: 0, max: 0, values },
    ]),
  ),
});

test('bars of all variants are measured by the most timeouts that any of them had', () => {
  const few = cell({ detector_true_positives: [1, 1], detector_true_negatives: [1, 0] });
  const many = cell({ detector_false_negatives: [4, 5], detector_undecided: [9, 9] });
  expect(mostTimeouts([few, many])).toBe(9);
  expect(mostTimeouts([])).toBe(1);
});
