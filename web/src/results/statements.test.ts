import { describe, expect, it } from 'vitest';

import { beside } from './statements';

const NUMBER = {
  check: 'figure-3: faster',
  printed: '31.7 % more goodput',
  published: 1.317,
  ours: 1.2066,
  interval: [1.1049, 1.3],
  at_least: true,
  distance: 1.2066 / 1.317 - 1,
};

describe('a published number beside ours', () => {
  it('has the interval and the distance', () => {
    expect(beside(NUMBER)).toBe(
      'published 31.7 % more goodput: 1.32; ours 1.21 (at least 95 % interval 1.1 to 1.3), -8 %',
    );
  });

  it('says of what was not run that it was not', () => {
    expect(beside({ ...NUMBER, ours: null, interval: null, distance: null })).toBe(
      'published 31.7 % more goodput: 1.32; not run here',
    );
  });
});
