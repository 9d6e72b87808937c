import { describe, expect, it } from 'vitest';

import { pathText, valueAt, withValue } from './values';

const table = { a: { b: 'x' }, list: [{ c: 1 }, { c: 2 }] };

describe('values by their paths', () => {
  it('are found, or are none', () => {
    expect(valueAt(table, 'a.b')).toBe('x');
    expect(valueAt(table, ['list', 1, 'c'])).toBe(2);
    for (const path of ['a.c', 'a.b.c', ['list', 2, 'c'], ['a', 0]])
      expect(valueAt(table, path)).toBeUndefined();
  });

  it('come, change and go, and what is empty then goes with them', () => {
    expect(withValue(table, 'a.d', 'y')).toEqual({ ...table, a: { b: 'x', d: 'y' } });
    expect(withValue(table, ['list', 0, 'c'], 3)['list']).toEqual([{ c: 3 }, { c: 2 }]);
    expect(withValue(table, ['list', 2], { c: 3 })['list']).toEqual([{ c: 1 }, { c: 2 }, { c: 3 }]);
    expect(withValue(table, ['list', 0], undefined)['list']).toEqual([{ c: 2 }]);
    expect(withValue(withValue(table, ['list', 0], undefined), ['list', 0], undefined)).toEqual({
      a: { b: 'x' },
    });
    expect(withValue(table, 'a.b', undefined)).toEqual({ list: table.list });
    expect(withValue({}, ['x', 0, 'y'], 1)).toEqual({ x: [{ y: 1 }] });
  });

  it('are named as the engine names them', () => {
    expect(pathText(['impairment', 0, 'every'])).toBe('impairment[0].every');
    expect(pathText('both.queue')).toBe('both.queue');
  });
});
