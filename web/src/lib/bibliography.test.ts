import { readdirSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { citationOf, titleOf } from './bibliography';

const SHIPPED = new URL('../../../profiles/experiments/papers', import.meta.url);

describe('the bibliography', () => {
  it('has every paper of which there are experiments, with its year', () => {
    for (const name of readdirSync(SHIPPED)) {
      expect(titleOf(name)).not.toBe(name);
      expect(citationOf(name)).toContain(/\d{4}$/.exec(name)?.[0]);
    }
  });

  it('says nothing of a paper that it does not know', () => {
    expect([titleOf('toString'), citationOf('toString')]).toEqual(['toString', null]);
  });
});
