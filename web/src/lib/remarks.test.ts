import { describe, expect, it } from 'vitest';

import { remarksOn } from './remarks';

describe('remarksOn', () => {
  const on = (share: number) =>
    remarksOn((metric) => (metric === 'limited_by_receive_window' ? share : undefined));

  it('says what limited the sender for most of the time', () => {
    expect(on(0.934)).toEqual(['limited by the receive window for 93 % of the time']);
  });

  it('says nothing of what did so for half of it, or is not known', () => {
    expect(on(0.5)).toEqual([]);
    expect(remarksOn(() => undefined)).toEqual([]);
  });
});
