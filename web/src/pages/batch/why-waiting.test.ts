import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { whyWaiting } from './why-waiting';

const worker: Schema<'WorkerTold'> = {
  address: 'tcp://127.0.0.1:1',
  host: 'here',
  testbeds: ['sim'],
  engine: '0.1.0',
  runs: 1,
  busy_with: 'sim',
  refused: null,
};
const queue: Schema<'QueueTold'> = {
  scheduler: { state: 'working', why: null, note: null },
  seen_at: null,
  testbeds: [{ testbed: 'sim', queued: 12, running: 1 }],
  workers: [worker],
};
const batch = { testbed: 'sim', runs: { queued: 5 }, engine: { version: '0.1.0', commit: '0' } };

describe('whyWaiting', () => {
  it('says who works and who else waits', () => {
    const { why, stuck } = whyWaiting(batch, queue);
    expect(stuck).toBe(false);
    expect(why).toContain('1 worker at work');
    expect(why).toContain('7 runs of other batches wait as well');
  });

  it('says that live runs come first where they have begun', () => {
    const live = { ...queue, workers: [{ ...worker, testbeds: ['sim', 'netns'], busy_with: 'netns' }] };
    expect(whyWaiting(batch, live)).toEqual({
      why: 'The worker makes live runs now, which want the machine for themselves.',
      stuck: false,
    });
    expect(whyWaiting({ ...batch, testbed: 'netns' }, live).why).toContain('one at a time');
  });

  it('says what stands in the way', () => {
    const paused = { ...queue, scheduler: { state: 'paused' as const, why: 'the disk is full', note: null } };
    expect(whyWaiting(batch, paused)).toEqual({
      why: 'The queue stands still: the disk is full.',
      stuck: true,
    });
    const absent = { ...queue, scheduler: { state: 'absent' as const, why: null, note: null } };
    expect(whyWaiting(batch, absent).stuck).toBe(true);
    expect(whyWaiting({ ...batch, testbed: 'netns' }, queue).why).toContain(
      'No worker takes runs of the testbed netns',
    );
    const refused = { ...queue, workers: [{ ...worker, refused: 'its engine is another' }] };
    expect(whyWaiting(batch, refused).why).toContain('its engine is another');
  });
});
