import { describe, expect, it } from 'vitest';

import { HIDDEN_AT_FIRST } from '../../diagram/layers';
import { lookFromText, lookToText } from './look';

describe('the look of a diagram', () => {
  it('is the same after a way through the address', () => {
    for (const look of [
      { hidden: HIDDEN_AT_FIRST, unit: 'octets' },
      { hidden: [], unit: 'segments' },
      { hidden: ['arrivals', 'queue', 'timer'], unit: 'octets' },
    ] as const) {
      expect(lookFromText(lookToText(look))).toEqual(look);
    }
  });

  it('writes only what is not as at first', () => {
    expect(lookToText({ hidden: HIDDEN_AT_FIRST, unit: 'octets' })).toEqual({ hide: null, unit: null });
    expect(lookToText({ hidden: [], unit: 'segments' })).toEqual({ hide: 'none', unit: 'segments' });
  });

  it('leaves out what there is not', () => {
    expect(lookFromText({ hide: 'queue_moon', unit: 'miles' })).toEqual({
      hidden: ['queue'],
      unit: 'octets',
    });
  });
});
