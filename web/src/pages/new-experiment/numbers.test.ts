import type { TomlValue } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { numberOf, shownNumber } from './numbers';

describe('a number that is typed', () => {
  it.each(['2.5', '0.05', '10', '-3', '1.50'])('%s arrives letter by letter', (text) => {
    let value: TomlValue | undefined;
    let shown = '';
    for (const letter of text) {
      const typed = shown + letter;
      value = numberOf(typed);
      shown = shownNumber(typed, value);
    }
    expect(shown).toBe(text);
    expect(value).toBe(Number(text));
  });

  it('is the file’s where the file has another', () => {
    expect(shownNumber('2.5', 3)).toBe('3');
    expect(shownNumber(null, undefined)).toBe('');
    expect(numberOf('two')).toBe('two');
    expect(numberOf('')).toBeUndefined();
  });
});
