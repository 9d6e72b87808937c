import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import type { PreviewPath } from './preview-model';
import { leastTime, perhapsTooLate } from './transfer';

const path = (t: readonly number[], bps: readonly (number | null)[]): PreviewPath => ({
  rate: { kind: 'constant', window_ns: null, t_ns: [...t], bps: [...bps] },
  delay: { t_ns: [0], delay_ns: [0], drawn: null },
  queue: { t_ns: [0], packets: [null], bytes: [null] },
  loss: { t_ns: [0], probability: [0] },
  kept_back: { t_ns: [0], delay_ns: [0] },
  spells: [],
});

describe('the least time of a transfer', () => {
  const minute = ns(60e9);

  it('is its octets over the rate', () => {
    expect(leastTime(path([0], [40_200]), 102_400, minute)).toBe(ns(Math.ceil((819_200 / 40_200) * 1e9)));
  });

  it('counts what each rate carries while it lasts', () => {
    // 10 s at 8 kbit/s carry 10,000 octets; nothing until 20 s; 1,000 more at 16 kbit/s take half a second.
    expect(leastTime(path([0, 10e9, 20e9], [8_000, 0, 16_000]), 11_000, minute)).toBe(ns(20.5e9));
  });

  it('is nothing where the rate has no limit, and unknown beyond what is told', () => {
    expect(leastTime(path([0], [null]), 1e9, minute)).toBe(ns(0));
    expect(leastTime(path([0], [8]), 102_400, minute)).toBeNull();
    expect(leastTime(path([0], [0]), 1, minute)).toBeNull();
  });

  it('tells which events may come too late', () => {
    const event = (id: number, at: number) =>
      ({ id, kind: 'hold', on: 'both', at: ns(at), length: ns(3e9), value: null }) as const;
    const packet = { ...event(3, 0), at: 'data segment 9' } as const;
    expect(perhapsTooLate([event(1, 10e9), event(2, 30e9), packet], ns(20e9)).map(({ id }) => id)).toEqual([
      2,
    ]);
  });
});
