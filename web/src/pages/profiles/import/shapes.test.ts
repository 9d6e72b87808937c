import { describe, expect, it } from 'vitest';

import { guess, readRecording } from './read-file';
import { SHAPES } from './shapes';

describe('the examples of files to import', () => {
  it.each(SHAPES)('$format is taken for what it is, and read', ({ format, example }) => {
    expect(guess(example, 'file')).toBe(format);
    expect(readRecording(example, format)).toHaveProperty('recording');
  });
});
