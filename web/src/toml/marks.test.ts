import { describe, expect, it } from 'vitest';

import { marksOf } from './marks';

const TEXT = 'title = "x"\n[both]\n  evry = 2   # a comment\n\nrate = "3 # no comment"';

describe('marksOf', () => {
  const marked = (line: number, column: number | null, file?: string) =>
    marksOf(TEXT, [{ line, column, message: 'm', ...(file && { file }) }], 'links/mine.toml').map(
      ({ from, to }) => TEXT.slice(from, to),
    );

  it('marks from the column to the end of what is said', () => {
    expect(marked(3, 3)).toEqual(['evry = 2']);
    expect(marked(3, 10)).toEqual(['2']);
  });

  it('begins at the first word without a column, or with one beyond the line', () => {
    expect(marked(3, null)).toEqual(['evry = 2']);
    expect(marked(3, 400)).toEqual(['evry = 2']);
  });

  it('takes a # inside of a string for what it is', () => {
    expect(marked(5, 1)).toEqual(['rate = "3 # no comment"']);
  });

  it('marks the last line for a line that is not there any more', () => {
    expect(marked(99, 1)).toEqual(['rate = "3 # no comment"']);
  });

  it('leaves an empty line a mark without length', () => {
    expect(marked(4, 1)).toEqual(['']);
  });

  it('marks no problem of another file, and none without a line', () => {
    expect(marked(3, 1, 'links/mine.toml')).toEqual(['evry = 2']);
    expect(marked(3, 1, 'experiments/other.toml')).toEqual([]);
    expect(marksOf(TEXT, [{ message: 'm' }])).toEqual([]);
  });

  it('is in order of place', () => {
    const problems = [3, 1].map((line) => ({ line, message: String(line) }));
    expect(marksOf(TEXT, problems).map(({ message }) => message)).toEqual(['1', '3']);
  });
});
