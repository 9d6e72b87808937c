import { describe, expect, it } from 'vitest';

import { noteProblem, tagsProblem } from './labels';

describe('tags', () => {
  it('are words that the API takes', () => {
    expect(tagsProblem([])).toBeNull();
    expect(tagsProblem(['thesis', 'chapter 3', 'v6.12', 'a', 'lte/drive:2'])).toBeNull();
    for (const wrong of ['', ' a', 'a ', '-a', 'a,b', 'ä', 'a/'])
      expect(tagsProblem(['good', wrong])).not.toBeNull();
    expect(tagsProblem(['a'.repeat(41)])).toMatch(/40 characters/);
    expect(tagsProblem(Array.from({ length: 21 }, (_, i) => `t${i}`))).toBe('At most 20 tags');
  });
});

describe('a note', () => {
  it('is not longer than the API takes', () => {
    expect(noteProblem('x'.repeat(10_000))).toBeNull();
    expect(noteProblem('x'.repeat(10_001))).not.toBeNull();
  });
});
