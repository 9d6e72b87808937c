import { describe, expect, it } from 'vitest';

import { throughput, withReading, type Reading } from './throughput';

const reading = (at: number, down: number, since = 'noon'): Reading => ({ at, since, down, up: 0 });

const all = (...readings: Reading[]) => readings.reduce<readonly Reading[]>(withReading, []);

describe('throughput', () => {
  it('is what was carried between the readings of the last three seconds', () => {
    const readings = all(reading(0, 0), reading(1000, 50_000), reading(3500, 75_000));
    expect(readings.map(({ at }) => at)).toEqual([1000, 3500]);
    expect(throughput(readings, 'down')).toBe(80_000);
    expect(throughput(readings, 'up')).toBe(0);
  });

  it('needs two readings', () => {
    expect(throughput([], 'down')).toBeNull();
    expect(throughput(all(reading(0, 9)), 'down')).toBeNull();
    expect(throughput(all(reading(0, 9), reading(0, 9)), 'down')).toBeNull();
  });

  it('begins anew with another link, whose counts do', () => {
    const readings = all(reading(0, 90_000), reading(1000, 10, 'later'));
    expect(throughput(readings, 'down')).toBeNull();
  });
});
