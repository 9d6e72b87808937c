import { describe, expect, it } from 'vitest';

import { remarksOn } from './remarks';

describe('remarksOn', () => {
  const on = (share: number) =>
    remarksOn((metric) => (metric === 'limited_by_receive_window' ? share : undefined));

  it('says what limited the sender for most of the time', () => {
    expect(on(0.934)).toEqual(['limited by the receive window for 93 % of the time']);
  });

  it('says with its numbers where a run left the recording', () => {
    const replayed: Record<string, number> = {
      replayed_packets: 1203,
      unrecorded_packets: 12,
      unrecorded_from_s: 3.2,
      resized_packets: 0,
    };
    expect(remarksOn((metric) => replayed[metric])).toEqual([
      'left the recording: 12 of 1,203 packets had no recorded one, from 3.20 s on',
    ]);
  });

  it('says nothing of what did so for half of it, or is not known', () => {
    expect(on(0.5)).toEqual([]);
    expect(remarksOn(() => undefined)).toEqual([]);
  });
});
