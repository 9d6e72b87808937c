import { describe, expect, it } from 'vitest';

import { step } from './keys';
import { PAGES } from './navigation';

describe('keys of the whole page', () => {
  it('go to a place by g and its letter', () => {
    expect(step(false, 'g')).toEqual({ going: true, command: null });
    expect(step(true, 'e')).toEqual({ going: false, command: { kind: 'go', to: '/experiments' } });
    expect(step(true, 'E')).toEqual({ going: false, command: { kind: 'go', to: '/experiments' } });
  });

  it('do nothing for a letter alone, nor for g and one that is no place’s', () => {
    expect(step(false, 'e')).toEqual({ going: false, command: null });
    expect(step(true, 'x')).toEqual({ going: false, command: null });
  });

  it('show all keys by ?', () => {
    expect(step(false, '?').command).toEqual({ kind: 'help' });
  });

  it('have a letter of its own for every place', () => {
    const letters = PAGES.map(({ letter }) => letter);
    expect(new Set(letters).size).toBe(letters.length);
    for (const letter of letters) expect(letter).toMatch(/^[a-z]$/);
  });
});
