import { describe, expect, it } from 'vitest';

import { cornerOf, heightOf, lieOf, pathsOf, squareAt } from './squares';

describe('squares', () => {
  it('break into lines, and are small where they are many', () => {
    const few = lieOf(30, 100);
    expect(few).toEqual({ side: 13, step: 16, columns: 6 });
    expect(heightOf(30, few)).toBe(5 * 16);
    expect(lieOf(1000, 100).side).toBe(7);
  });

  it('are found where they are drawn', () => {
    const lie = lieOf(30, 100);
    for (let i = 0; i < 30; i++) {
      const { x, y } = cornerOf(i, lie);
      expect(squareAt(x + 1, y + 1, 30, lie)).toBe(i);
    }
    expect(squareAt(99, 1, 30, lie)).toBeNull();
    expect(squareAt(1, 81, 30, lie)).toBeNull();
    expect(squareAt(-1, 1, 30, lie)).toBeNull();
  });

  it('are one path for each state', () => {
    const paths = pathsOf(['done', 'failed', 'done'], lieOf(3, 100));
    expect(paths.map(([state]) => state)).toEqual(['done', 'failed']);
    expect(paths[0]?.[1]).toBe('M0 0h13v13h-13zM32 0h13v13h-13z');
  });
});
