import { describe, expect, it } from 'vitest';

import { CreationKeys } from './creation-key';

describe('CreationKeys', () => {
  it('has one key for a request that is tried again', () => {
    const keys = new CreationKeys();
    const first = keys.keyOf({ experiment: 'first-look' });
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.keyOf({ experiment: 'first-look' })).toBe(first);
  });

  it('has another key for another request, and after a success', () => {
    const keys = new CreationKeys();
    const [one, other] = [{ experiment: 'first-look' }, { experiment: 'first-look', seed: '2' }];
    const first = keys.keyOf(one);
    const second = keys.keyOf(other);
    expect(second).not.toBe(first);
    keys.done(other);
    expect(keys.keyOf(other)).not.toBe(second);
    expect(keys.keyOf(one)).toBe(first);
  });
});
