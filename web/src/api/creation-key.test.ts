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
    const first = keys.keyOf({ experiment: 'first-look' });
    const second = keys.keyOf({ experiment: 'first-look', seed: '2' });
    expect(second).not.toBe(first);
    keys.done();
    expect(keys.keyOf({ experiment: 'first-look', seed: '2' })).not.toBe(second);
  });
});
