import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import type { Happening } from '../../api/events';
import { afterHappenings, afterProgress, mustReadAnew } from './run-changes';
import { runLine } from '../../testing/run-line';

const run = (id: number): Schema<'RunLine'> =>
  runLine({ id, place: id - 1, repetition: id, state: 'queued', attempt: 0 });
const runs = [run(1), run(2), run(3)];
const happened = (id: number, data: Happening['data'], kind: Happening['kind'] = 'run'): Happening => ({
  kind,
  batch: 1,
  run: id,
  data,
});

describe('afterHappenings', () => {
  it('takes the last state of each run, with its reason', () => {
    const after = afterHappenings(runs, [
      happened(1, { state: 'running' }),
      happened(2, { state: 'running' }),
      happened(1, { state: 'failed', reason: 'the engine was killed' }),
    ]);
    expect(after.map(({ state }) => state)).toEqual(['failed', 'running', 'queued']);
    expect(after[0]?.reason).toBe('the engine was killed');
    expect(after[2]).toBe(runs[2]);
  });

  it('forgets a reason that is over', () => {
    const failed = afterHappenings(runs, [happened(1, { state: 'failed', reason: 'killed' })]);
    const [again] = afterHappenings(failed, [happened(1, { state: 'running' })]);
    expect(again).toMatchObject({ state: 'running', reason: null });
  });

  it('leaves the runs as they are where nothing was told', () => {
    expect(afterHappenings(runs, [happened(1, { octets: 5 }, 'progress')])).toBe(runs);
    expect(afterHappenings(runs, [happened(1, { state: 'exploded' })])).toBe(runs);
  });
});

describe('mustReadAnew', () => {
  it('is for changes of the whole batch, and runs that are not known', () => {
    const batch = (change: string): Happening => ({ kind: 'batch', batch: 1, run: null, data: { change } });
    expect(mustReadAnew(runs, [batch('cancelled')])).toBe(true);
    expect(mustReadAnew(runs, [batch('retried')])).toBe(true);
    expect(mustReadAnew(runs, [batch('ended')])).toBe(false);
    expect(mustReadAnew(runs, [happened(2, { state: 'done' })])).toBe(false);
    expect(mustReadAnew(runs, [happened(9, { state: 'done' })])).toBe(true);
  });
});

describe('afterProgress', () => {
  it('knows how far runs are until they end', () => {
    const far = { at_s: 1.5, octets: 1000, of: 4000 };
    const half = afterProgress(new Map(), [happened(1, far, 'progress'), happened(2, far, 'progress')]);
    expect(half.get(1)).toEqual({ atS: 1.5, octets: 1000, of: 4000 });
    expect([...afterProgress(half, [happened(1, { state: 'done' })]).keys()]).toEqual([2]);
  });
});
