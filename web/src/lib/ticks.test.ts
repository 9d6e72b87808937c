import { describe, expect, it } from 'vitest';

import { niceStep, octetTicks, timeTicks } from './ticks';

const labels = (ticks: { marks: readonly { label: string }[] }) => ticks.marks.map((mark) => mark.label);

describe('niceStep', () => {
  it('is one, two or five times a power of ten', () => {
    expect(niceStep(76, 8)).toBe(10);
    expect(niceStep(10, 8)).toBe(2);
    expect(niceStep(0.9, 9)).toBeCloseTo(0.1);
    expect(niceStep(1, 0)).toBe(1);
  });

  it('survives an empty range', () => {
    expect(niceStep(0, 8)).toBe(1);
  });
});

describe('timeTicks', () => {
  it('counts a whole run in seconds', () => {
    const ticks = timeTicks(0, 76.23e9, 8);
    expect(ticks.unit).toBe('s');
    expect(labels(ticks)).toEqual(['0', '10', '20', '30', '40', '50', '60', '70']);
  });

  it('keeps seconds while three decimals do', () => {
    const ticks = timeTicks(12.3e9, 12.34e9, 4);
    expect(ticks.unit).toBe('s');
    expect(labels(ticks)).toEqual(['12.30', '12.31', '12.32', '12.33', '12.34']);
  });

  it('goes to milliseconds below', () => {
    expect(timeTicks(1_000_000_000, 1_000_400_000, 4).unit).toBe('ms');
  });

  it('groups the digits of long runs', () => {
    expect(labels(timeTicks(0, 2400e9, 3))).toEqual(['0', '1,000', '2,000']);
  });

  it('has no mark outside the range', () => {
    for (const mark of timeTicks(3.1e9, 17.9e9, 10).marks) {
      expect(mark.value).toBeGreaterThanOrEqual(3.1e9);
      expect(mark.value).toBeLessThanOrEqual(17.9e9);
    }
  });
});

describe('octetTicks', () => {
  it('speaks of kB for a small transfer and of MB for a large one', () => {
    expect(octetTicks(0, 102_400, 5).unit).toBe('kB');
    expect(octetTicks(0, 5_000_000, 5).unit).toBe('MB');
  });
});
