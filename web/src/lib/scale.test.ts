import { describe, expect, it } from 'vitest';

import { ns, px } from './brand';
import { LinearScale } from './scale';

describe('LinearScale', () => {
  it('maps both ends of the domain to both ends of the range', () => {
    const scale = new LinearScale(ns(1e9), ns(3e9), px(50), px(250));
    expect(scale.toPx(ns(1e9))).toBe(50);
    expect(scale.toPx(ns(3e9))).toBe(250);
    expect(scale.toPx(ns(2e9))).toBe(150);
  });

  it('goes back to the value it came from, also on an inverted axis', () => {
    const scale = new LinearScale(ns(0), ns(76_230_000_000), px(400), px(10));
    for (const t of [0, 1, 12_345_678_901, 76_230_000_000]) {
      expect(scale.fromPx(scale.toPx(ns(t)))).toBeCloseTo(t, 3);
    }
  });

  it('stays finite on an empty domain', () => {
    const scale = new LinearScale(ns(5), ns(5), px(0), px(100));
    expect(Number.isFinite(scale.toPx(ns(5)))).toBe(true);
    expect(Number.isFinite(scale.fromPx(px(3)))).toBe(true);
  });
});
