import { describe, expect, it } from 'vitest';

import {
  formatInstant,
  formatOctets,
  formatRate,
  formatTime,
  grouped,
  groupThousands,
  plural,
} from './format';

describe('format', () => {
  it('chooses a unit for a span', () => {
    expect(formatTime(3.2e9, 1)).toBe('3.2 s');
    expect(formatTime(310e6)).toBe('310 ms');
    expect(formatTime(82.2e6)).toBe('82.2 ms');
    expect(formatTime(45e3)).toBe('45 µs');
    expect(formatTime(0)).toBe('0 s');
  });

  it('keeps instants in seconds', () => {
    expect(formatInstant(12.34e9)).toBe('12.340 s');
    expect(formatInstant(4e6)).toBe('0.004 s');
  });

  it('chooses a unit for octets and rates', () => {
    expect(formatOctets(256)).toBe('256 B');
    expect(formatOctets(7168)).toBe('7,168 B');
    expect(formatOctets(102_400)).toBe('102.4 kB');
    expect(formatRate(28_800)).toBe('28.8 kbit/s');
    expect(formatRate(2_000_000)).toBe('2 Mbit/s');
  });

  it('groups and counts', () => {
    expect(groupThousands(1_234_567)).toBe('1,234,567');
    expect(groupThousands(-102_400)).toBe('-102,400');
    expect(groupThousands(999)).toBe('999');
    expect(grouped('1234.56789')).toBe('1,234.56789');
    expect(plural(1, 'timeout')).toBe('1 timeout');
    expect(plural(65_039, 'packet')).toBe('65,039 packets');
    expect(plural(2, 'timeout')).toBe('2 timeouts');
  });
});
