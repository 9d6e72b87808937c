import { describe, expect, it } from 'vitest';

import { ns, octets } from '../../lib/brand';
import { pinFromText, pinToText } from './pin';

describe('what is pinned', () => {
  it('is the same after a way through the address', () => {
    const segment = { kind: 'segment', t: ns(1_648_888_895), seq: octets(1792) } as const;
    expect(pinToText(segment)).toBe('segment_1.648888895_1792');
    expect(pinFromText(pinToText(segment))).toEqual(segment);
    const timeout = { kind: 'timeout', t: ns(2_960_809_034) } as const;
    expect(pinFromText(pinToText(timeout))).toEqual(timeout);
  });

  it('is nothing where the address was broken', () => {
    for (const text of [
      null,
      '',
      'timeout',
      'timeout_',
      'timeout_x',
      'segment_1',
      'segment_1_-3',
      'drop_1',
    ]) {
      expect(pinFromText(text)).toBeNull();
    }
  });
});
