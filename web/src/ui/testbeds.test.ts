import { describe, expect, it } from 'vitest';

import type { Schema } from '../api/client';
import { hasKernel, isLive, offered, testbedOf, TESTBEDS } from './testbeds';

const testbeds = (works: readonly string[]): Schema<'TestbedsView'> => ({
  testbeds: ['sim', 'netns', 'kernel', 'compose'].map((name) => ({
    name,
    works: works.includes(name),
    why: '',
    remedy: null,
  })),
  planes: [],
  tools: [],
  kernel: [],
  kernels: [],
  leftovers: [],
  looked_at: '2026-01-01T00:00:00Z',
});

describe('the testbeds to choose from', () => {
  const names = (works: readonly string[], chosen = 'sim') =>
    offered(testbeds(works), chosen).map(({ value }) => value);

  it('are those that every machine may have, and containers where there are some', () => {
    expect(names(['sim'])).toEqual(['sim', 'netns', 'kernel']);
    expect(names(['sim', 'compose'])).toEqual(TESTBEDS.map(({ value }) => value));
    expect(names(['sim'], 'compose')).toContain('compose');
    expect(offered(undefined, 'sim').map(({ value }) => value)).toEqual(['sim', 'netns', 'kernel']);
  });

  it('are known by their names', () => {
    expect(testbedOf('kernel')).toBe('kernel');
    expect(testbedOf('moon')).toBe('sim');
    expect(['sim', 'netns', 'kernel', 'compose'].filter(hasKernel)).toEqual(['netns', 'kernel', 'compose']);
    expect(['sim', 'netns', 'kernel', 'compose'].filter(isLive)).toEqual(['netns', 'compose']);
  });
});
