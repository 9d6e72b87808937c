import { describe, expect, it } from 'vitest';

import { loginCode } from './login';

describe('loginCode', () => {
  it('is what stands behind #login=', () => {
    expect(loginCode('#login=Ab_c-9')).toBe('Ab_c-9');
  });

  it('is not there without it', () => {
    for (const hash of ['', '#', '#login=', '#note', '#code=x', `#login=${'x'.repeat(1001)}`])
      expect(loginCode(hash)).toBeNull();
  });
});
