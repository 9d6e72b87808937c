import { describe, expect, it } from 'vitest';

import { changed } from './use-address';

describe('changed', () => {
  const params = new URLSearchParams('tab=runs&state=failed&state=invalid');

  it('changes, adds and takes away, and leaves the others', () => {
    expect(changed(params, { state: 'done' }).toString()).toBe('tab=runs&state=done');
    expect(changed(params, { state: ['done', 'failed'], after: 'x' }).toString()).toBe(
      'tab=runs&state=done&state=failed&after=x',
    );
    expect(changed(params, { state: null, tab: null }).toString()).toBe('');
  });

  it('leaves the old ones as they were', () => {
    changed(params, { tab: null });
    expect(params.get('tab')).toBe('runs');
  });
});
