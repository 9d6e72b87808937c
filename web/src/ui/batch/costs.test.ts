import { describe, expect, it } from 'vitest';

import { expected } from './costs';

const MEASURED = {
  batch: 7,
  repetitions: 10,
  total: 20,
  runs: 20,
  elapsed_s: 34.4,
  size_bytes: 12_345_678,
  ended_at: '2026-01-02T03:04:05Z',
};

const EXPECTED = { repetitions: 5, runs: 10, seconds: 14, size_bytes: 12_345_678 };

const sim = (repetitions: number | null) => ({ testbed: 'sim', repetitions }) as const;

describe('what another batch is likely to cost', () => {
  it('is in proportion to what was measured', () => {
    const { lines, tooLarge } = expected(
      { measured: MEASURED, expected: null, free_bytes: 5_432_100_000 },
      sim(40),
    );
    expect(lines).toEqual([
      'Measured: 20 runs of batch 7 took 34 seconds and 12 MB of disk.',
      '80 runs in proportion: about 2 minutes and 49 MB, if the experiment is as it was then and the workers are as ' +
        'many and as free. The service’s disk has 5.4 GB left.',
    ]);
    expect(tooLarge).toBe(false);
  });

  it('is for as many repetitions as then where none are named', () => {
    expect(expected({ measured: MEASURED, expected: null, free_bytes: 1e9 }, sim(null)).lines[1]).toMatch(
      /^20 runs .* 34 seconds and 12 MB/,
    );
  });

  it('counts what was run, not what was known before', () => {
    const { lines } = expected(
      { measured: { ...MEASURED, runs: 5 }, expected: null, free_bytes: 1e9 },
      sim(10),
    );
    expect(lines[0]).toContain('5 runs of batch 7 took 34 seconds');
    expect(lines[0]).toContain('it has 20');
    expect(lines[1]).toMatch(/^20 runs in proportion: about 2 minutes and 49 MB/);
  });

  it('is what the engine expects before anything was measured', () => {
    const costs = { measured: null, expected: EXPECTED, free_bytes: 1e9 };
    expect(expected(costs, sim(null)).lines).toEqual([
      'Estimated, as it has not been run here this way: 10 runs, about 12 MB of disk and 14 seconds on one core. ' +
        'The service’s disk has 1 GB left.',
    ]);
    expect(expected(costs, sim(50)).lines[0]).toContain(
      '100 runs, about 120 MB of disk and 2 minutes on one core',
    );
    expect(expected(costs, { testbed: 'netns', repetitions: 5 }).lines[0]).toContain(
      '14 seconds for one run after the other',
    );
    expect(expected({ ...costs, free_bytes: 13e6 }, sim(5)).tooLarge).toBe(false);
    expect(expected({ ...costs, free_bytes: 13e6 }, sim(6)).tooLarge).toBe(true);
  });

  it('is not known where nobody can tell', () => {
    expect(expected({ measured: null, expected: null, free_bytes: 1e9 }, sim(3)).lines).toEqual([
      'Time and disk are not known yet: it has not been run here this way. The service’s disk has 1 GB left.',
    ]);
  });

  it('may be more than the disk has left', () => {
    const tight = { measured: MEASURED, expected: null, free_bytes: 13_000_000 };
    expect(expected(tight, sim(10)).tooLarge).toBe(false);
    expect(expected(tight, sim(11)).tooLarge).toBe(true);
  });
});
