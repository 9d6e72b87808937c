import { describe, expect, it } from 'vitest';

import type { Happening } from './events';
import { makesStale } from './freshness';

const run = (id: number, batch: number): Happening => ({ kind: 'run', run: id, batch, data: {} });
const key = (path: string, id?: number) => ['get', path, { params: { path: { id } } }] as const;

describe('makesStale', () => {
  it('knows lists', () => {
    expect(makesStale(run(1, 2), key('/api/v1/runs'))).toBe(true);
    expect(makesStale(run(1, 2), key('/api/v1/queue'))).toBe(true);
    expect(makesStale(run(1, 2), key('/api/v1/links'))).toBe(false);
  });

  it('knows which run and batch it is about', () => {
    expect(makesStale(run(1, 2), key('/api/v1/runs/{id}', 1))).toBe(true);
    expect(makesStale(run(1, 2), key('/api/v1/runs/{id}', 7))).toBe(false);
    expect(makesStale(run(1, 2), key('/api/v1/batches/{id}/results', 2))).toBe(true);
    expect(makesStale(run(1, 2), key('/api/v1/batches/{id}/results', 3))).toBe(false);
  });

  it('knows which schedule it is about, and that batches tell of it', () => {
    const schedule: Happening = {
      kind: 'schedule',
      run: null,
      batch: null,
      data: { id: 3, change: 'round' },
    };
    expect(makesStale(schedule, key('/api/v1/schedules'))).toBe(true);
    expect(makesStale(schedule, key('/api/v1/schedules/{id}/rounds', 3))).toBe(true);
    expect(makesStale(schedule, key('/api/v1/schedules/{id}', 4))).toBe(false);
    expect(makesStale(schedule, key('/api/v1/batches/{id}/round', 7))).toBe(true);
    expect(makesStale(schedule, key('/api/v1/batches/{id}', 7))).toBe(false);
  });

  it('knows which search it is about', () => {
    const search: Happening = { kind: 'search', run: null, batch: null, data: { id: 3, tried: 16 } };
    expect(makesStale(search, key('/api/v1/searches'))).toBe(true);
    expect(makesStale(search, key('/api/v1/searches/{id}', 3))).toBe(true);
    expect(makesStale(search, key('/api/v1/searches/{id}', 4))).toBe(false);
    expect(makesStale(search, key('/api/v1/batches'))).toBe(false);
  });

  it('leaves answers alone that progress does not change', () => {
    expect(makesStale({ ...run(1, 2), kind: 'progress' }, key('/api/v1/runs/{id}', 1))).toBe(false);
  });
});
