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

describe('what another batch is likely to cost', () => {
  it('is in proportion to what was measured', () => {
    const { lines, tooLarge } = expected({ measured: MEASURED, free_bytes: 5_432_100_000 }, 40);
    expect(lines).toEqual([
      'Measured: 20 runs of batch 7 took 34 seconds and 12 MB of disk.',
      '80 runs in proportion: about 2 minutes and 49 MB, if the experiment is as it was then and the workers are as ' +
        'many and as free. The service’s disk has 5.4 GB left.',
    ]);
    expect(tooLarge).toBe(false);
  });

  it('is for as many repetitions as then where none are named', () => {
    expect(expected({ measured: MEASURED, free_bytes: 1e9 }, null).lines[1]).toMatch(
      /^20 runs .* 34 seconds and 12 MB/,
    );
  });

  it('counts what was run, not what was known before', () => {
    const { lines } = expected({ measured: { ...MEASURED, runs: 5 }, free_bytes: 1e9 }, 10);
    expect(lines[0]).toContain('5 runs of batch 7 took 34 seconds');
    expect(lines[0]).toContain('it has 20');
    expect(lines[1]).toMatch(/^20 runs in proportion: about 2 minutes and 49 MB/);
  });

  it('is not known before anything was measured', () => {
    expect(expected({ measured: null, free_bytes: 1e9 }, 3).lines).toEqual([
      'Time and disk are not known yet: it has not been run here this way. The service’s disk has 1 GB left.',
    ]);
  });

  it('may be more than the disk has left', () => {
    expect(expected({ measured: MEASURED, free_bytes: 13_000_000 }, 10).tooLarge).toBe(false);
    expect(expected({ measured: MEASURED, free_bytes: 13_000_000 }, 11).tooLarge).toBe(true);
  });
});
