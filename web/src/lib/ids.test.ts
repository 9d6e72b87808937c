import { expect, it } from 'vitest';

import { idIn } from './ids';

it('takes whole numbers from 1 on, and nothing else', () => {
  expect(['1', '9007199254740991'].map(idIn)).toEqual([1, 9007199254740991]);
  for (const text of ['', '0', '07', '-1', '1.5', '1e3', ' 1', 'one', '1'.repeat(17)])
    expect(idIn(text)).toBeNull();
});
