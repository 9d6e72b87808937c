import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { whyWaiting } from './why-waiting';

const worker: Schema<'WorkerStatus'> = {
  address: 'tcp://127.0.0.1:1',
  host: 'here',
  testbeds: ['sim'],
  engine: '0.1.0',
  runs: 1,
  busy_with: 'sim',
  refused: null,
  limits: null,
};
const queue: Schema<'QueueView'> = {
  scheduler: { state: 'working', why: null, note: null },
  seen_at: null,
  testbeds: [{ testbed: 'sim', queued: 12, running: 1, missing: null }],
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
      why: 'A run of netns is under way and needs the machine to itself.',
      stuck: false,
    });
    expect(whyWaiting({ ...batch, testbed: 'netns' }, live).why).toContain('one at a time');
  });

  it('knows that a live run has all workers of its machine to itself, and no other', () => {
    const idle = { ...worker, address: 'tcp://127.0.0.1:2', runs: 0, busy_with: null };
    const live = { ...worker, address: 'tcp://127.0.0.1:3', testbeds: ['compose'], busy_with: 'compose' };
    expect(whyWaiting(batch, { ...queue, workers: [idle, live] }).why).toBe(
      'A run of compose is under way and needs the machine to itself.',
    );
    const elsewhere = { ...live, host: 'another' };
    expect(whyWaiting(batch, { ...queue, workers: [idle, elsewhere] }).why).toContain('1 worker at work');
    const waits = { ...batch, testbed: 'compose' };
    const simulating = { ...queue, workers: [worker, { ...live, busy_with: null }] };
    expect(whyWaiting(waits, simulating).why).toBe(
      'The machine is busy with runs of sim; a live run starts when it is idle.',
    );
  });

  it('says what live runs lack', () => {
    const live = { ...worker, testbeds: ['sim', 'compose'] };
    const missing = { testbed: 'compose', queued: 3, running: 0, missing: 'the emulator does not answer' };
    expect(
      whyWaiting({ ...batch, testbed: 'compose' }, { ...queue, workers: [live], testbeds: [missing] }),
    ).toEqual({
      why: 'Runs of the testbed compose wait: the emulator does not answer. They start when this is resolved.',
      stuck: true,
    });
  });

  it('says what stands in the way', () => {
    const paused = { ...queue, scheduler: { state: 'paused' as const, why: 'the disk is full', note: null } };
    expect(whyWaiting(batch, paused)).toEqual({
      why: 'The queue has stopped: the disk is full.',
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
