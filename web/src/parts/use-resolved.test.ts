import { describe, expect, it } from 'vitest';

import { resolvedOf } from './use-resolved';

describe('resolvedOf', () => {
  it('takes names and titles', () => {
    const { variants, links, timeLimitS } = resolvedOf({
      time_limit_s: 5,
      variants: [{ name: 'sack', title: 'SACK' }, { name: 'linux', stack: 'linux' }, { title: 'nameless' }],
      links: [{ name: 'gprs', title: '' }],
    });
    expect(variants).toEqual([
      { name: 'sack', title: 'SACK' },
      { name: 'linux', title: 'linux' },
    ]);
    expect(links).toEqual([{ name: 'gprs', title: 'gprs' }]);
    expect(timeLimitS).toBe(5);
  });

  it('takes what is no experiment for an empty one', () => {
    expect(resolvedOf(null)).toEqual({ variants: [], links: [], timeLimitS: null });
  });
});
