import type { components } from '../contract/api';

type RunLine = components['schemas']['RunLine'];

/** A run of a batch, done and of nothing in particular but what is given. */
export const runLine = (given: Partial<RunLine>): RunLine => ({
  id: 1,
  batch: 1,
  experiment: 'first-look',
  place: 0,
  testbed: 'sim',
  variant: 'sack',
  link: 'gprs',
  repetition: 1,
  seed: '1',
  state: 'done',
  attempt: 1,
  worker: null,
  reason: null,
  cached: false,
  queued_at: '2026-01-01T00:00:00Z',
  started_at: null,
  ended_at: null,
  ...given,
});
