import { describe, expect, it } from 'vitest';

import { byFamily, FAMILIES } from './families';

describe('families', () => {
  it('are those of the schema, each with a title and a sentence', () => {
    expect(FAMILIES.map(({ name }) => name)).toContain('lte');
    for (const { title, about } of FAMILIES) {
      expect(title).not.toBe('');
      expect(about).toMatch(/\.$/);
    }
  });

  it('keep their order and that of their links, and what has none comes first', () => {
    const line = (name: string, family: string | null) => ({ name, family });
    const lines = [
      line('a', 'wifi'),
      line('b', null),
      line('c', 'lte'),
      line('d', 'wifi'),
      line('e', 'of 2030'),
    ];
    const groups = byFamily(lines).map(({ family, lines: of }) => [
      family.name,
      ...of.map(({ name }) => name),
    ]);
    expect(groups).toEqual([
      ['none', 'b', 'e'],
      ['lte', 'c'],
      ['wifi', 'a', 'd'],
    ]);
    expect(byFamily([])).toEqual([]);
  });
});
