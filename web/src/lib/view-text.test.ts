import { describe, expect, it } from 'vitest';

import { ns, octets } from './brand';
import { viewFromText, viewToText } from './view-text';

describe('a view in an address', () => {
  it('comes back exactly', () => {
    const view = { t0: ns(-250e6), t1: ns(20_250_000_001), y: { lo: octets(-100), hi: octets(40960) } };
    expect(viewToText(view)).toEqual({ t: '-0.25_20.250000001', y: '-100_40960' });
    expect(viewFromText('-0.25_20.250000001', '-100_40960')).toEqual(view);
  });

  it('is none where a part is missing, no number or the wrong way round', () => {
    for (const t of [null, '', '1', '1_', '2_1', '1_x', '1_2_3', '0_Infinity']) {
      expect(viewFromText(t, null), String(t)).toBeNull();
    }
    expect(viewFromText('1_2', '7_7')?.y).toBeNull();
  });
});
