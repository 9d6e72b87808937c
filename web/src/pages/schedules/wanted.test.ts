import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { changesOf, givenOf, refusedAt, START, wantedOf, whatIsMissing, type Wanted } from './wanted';

const SCHEDULE: Schema<'ScheduleView'> = {
  id: 3,
  name: 'nightly',
  experiment: 'mine',
  repetitions: 30,
  seed: '7',
  fresh_seed: false,
  testbed: 'sim',
  plane: null,
  captures: false,
  priority: 2,
  tags: ['thesis'],
  cron: '0 4 * * *',
  zone: 'Europe/Berlin',
  words: 'At 04:00 every day',
  paused: false,
  next_at: '2026-01-06T03:00:00Z',
  gate: { fail_if: ['elapsed.median > 30 s'], against: 'batch', batch: 12, alpha: 0.01, strict: true },
  hook: { path: 'api/v1/hooks/3', branch: 'main' },
  notice: { to: 'https://chat.example.org', signed: true },
  created_at: '2026-01-05T12:00:00Z',
  last: null,
};
const NEW: Wanted = { ...START, name: 'nightly', experiment: 'mine' };

describe('a schedule in its form', () => {
  it.each<[Partial<Wanted>, RegExp]>([
    [{ name: ' ' }, /name/],
    [{ experiment: null }, /experiment/],
    [{ repetitions: '1.5' }, /whole number/],
    [{ against: 'batch' }, /number of the batch/],
    [{ tells: true }, /address/],
    [{ tells: true, url: 'https://x.org', noticeSecret: 'short' }, /16 characters/],
    [{ hooked: true }, /secret/],
  ])('says what is missing: %o', (changes, words) => {
    expect(whatIsMissing({ ...NEW, ...changes }, null)).toMatch(words);
    expect(givenOf({ ...NEW, ...changes })).toBeNull();
  });

  it('asks for what was entered, and for nothing else', () => {
    expect(givenOf({ ...NEW, cron: '', rules: ' \n' })).toEqual({
      name: 'nightly',
      experiment: 'mine',
      repetitions: null,
      fresh_seed: false,
      testbed: 'sim',
      cron: null,
      zone: 'UTC',
      gate: null,
    });
    const whole = givenOf({
      ...NEW,
      rules: 'elapsed.median > 30 s\n\ngoodput.median < 0.9 * baseline',
      tells: true,
      url: 'https://x.org/h',
      hooked: true,
      hookSecret: 'sixteen-or-more!',
      branch: 'main',
    });
    expect(whole?.gate?.fail_if).toEqual(['elapsed.median > 30 s', 'goodput.median < 0.9 * baseline']);
    expect(whole?.notice).toEqual({ url: 'https://x.org/h' });
    expect(whole?.hook).toEqual({ secret: 'sixteen-or-more!', branch: 'main' });
  });

  it('changes what it shows, and leaves secrets that were not entered anew', () => {
    const wanted = wantedOf(SCHEDULE);
    expect(whatIsMissing(wanted, SCHEDULE)).toBeNull();
    const changes = changesOf({ ...wanted, cron: '0 5 * * *' }, SCHEDULE);
    expect(changes).not.toHaveProperty('hook');
    expect(changes).not.toHaveProperty('notice');
    expect(changes).not.toHaveProperty('seed');
    expect(changes?.gate).toEqual(SCHEDULE.gate);
    expect(changes?.cron).toBe('0 5 * * *');
    const without = changesOf({ ...wanted, hooked: false, tells: false, freshSeed: true }, SCHEDULE);
    expect(without).toMatchObject({ hook: null, notice: null, seed: null });
  });

  const refused = (...problems: ApiFailure['problems']) =>
    refusedAt(new ApiFailure({ status: 422, code: 'invalid', message: 'no', problems }));

  it('shows what is refused at the field that says it', () => {
    expect(
      refused({ key: 'gate.fail_if[1]', message: 'no metric' }, { key: 'seed', message: 'goes not' }),
    ).toEqual({ at: { rules: 'no metric', freshSeed: 'goes not' }, elsewhere: false });
    const taken = { status: 409, code: 'name-taken', message: 'there is one', problems: [] };
    expect(refusedAt(new ApiFailure(taken))).toEqual({ at: { name: 'there is one' }, elsewhere: false });
  });

  it('shows elsewhere what has no field', () => {
    expect(refused({ key: 'alpha', message: 'too large' }).elsewhere).toBe(true);
    // A key of the experiment's own file.
    expect(refused({ key: 'seed', file: 'experiments/mine.toml', message: 'too large' })).toEqual({
      at: {},
      elsewhere: true,
    });
    expect(refused()).toEqual({ at: {}, elsewhere: true });
    expect(refusedAt(new Error('gone'))).toEqual({ at: {}, elsewhere: true });
  });
});
