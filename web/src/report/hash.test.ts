import { describe, expect, it } from 'vitest';

import { ns, octets } from '../lib/brand';
import { formatHash, NOWHERE, parseHash } from './hash';

describe('permalinks', () => {
  it('come back as they were', () => {
    const place = {
      run: 'frto+sack/001',
      versus: 'sack',
      view: { t0: ns(-250e6), t1: ns(20.25e9), y: { lo: octets(-100), hi: octets(40960) } },
    };
    const hash = formatHash(place);
    expect(hash).toBe('#run=frto+sack/001&vs=sack&t=-0.25_20.25&y=-100_40960');
    expect(parseHash(hash)).toEqual(place);
  });

  it('stand for the whole run without a range', () => {
    expect(parseHash(formatHash({ run: 'a b/001', versus: null, view: null }))).toEqual({
      run: 'a b/001',
      versus: null,
      view: null,
    });
    expect(formatHash(NOWHERE)).toBe('');
    expect(parseHash('')).toEqual(NOWHERE);
  });

  it('ignore what makes no sense', () => {
    expect(parseHash('#t=9_3&y=a_b&x&run=%E0%A4%A')).toEqual({ run: '%E0%A4%A', versus: null, view: null });
  });
});
