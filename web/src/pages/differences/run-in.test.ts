import { describe, expect, it } from 'vitest';

import { runIn } from './run-in';

describe('the number of a run that is typed', () => {
  it('is read with or without its word', () => {
    expect(runIn('12')).toBe(12);
    expect(runIn(' Run 12 ')).toBe(12);
    expect(runIn('#7')).toBe(7);
  });

  it('is none where something else stands', () => {
    for (const text of ['', '0', '-3', '1.5', 'twelve', '12 13', '9999999999999999'])
      expect(runIn(text)).toBeNull();
  });
});
