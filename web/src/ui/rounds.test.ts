import { describe, expect, it } from 'vitest';

import type { Schema } from '../api/client';
import { causeOf, inWords, noticeInWords, outcomeOf } from './rounds';

const gate = (verdict: Schema<'JudgedView'>['verdict']): Schema<'JudgedView'> => ({
  verdict,
  words: '',
  baseline: null,
  checks: [],
  notes: [],
});

describe('the words of a schedule', () => {
  it.each([
    [{ state: 'running', gate: null, reason: null }, 'running'],
    [{ state: 'skipped', gate: null, reason: 'late' }, 'skipped'],
    [{ state: 'ended', gate: gate('pass'), reason: null }, 'passed'],
    [{ state: 'ended', gate: gate('fail'), reason: null }, 'failed'],
    [{ state: 'ended', gate: gate('inconclusive'), reason: 'of 4 runs 1 failed' }, 'undecided'],
    [{ state: 'ended', gate: gate('unjudged'), reason: null }, 'unjudged'],
    [{ state: 'ended', gate: gate(null), reason: null }, 'first'],
    [{ state: 'ended', gate: null, reason: null }, 'no gate'],
    [{ state: 'ended', gate: null, reason: 'of 4 runs 1 failed' }, 'failed'],
  ] as const)('say what came of a round', (round, word) => {
    expect(outcomeOf(round)).toBe(word);
  });

  it('say why there was one', () => {
    expect(causeOf({ cause: 'time', commit: null })).toBe('its time came');
    expect(causeOf({ cause: 'hook', commit: '3f2a9c41d03f2a9c41d0' })).toBe('a push, 3f2a9c41d03f');
  });

  it('say when it comes', () => {
    expect(inWords({ words: 'At 02:30 every day', next: [] })).toBe('At 02:30 every day');
    expect(inWords({ words: 'Daily', next: ['2026-03-03T02:30:00Z', '2026-03-04T02:30:00Z'] })).toMatch(
      /^Daily\. Next: .*Mar.*, then .*Mar.* \(your time\)\.$/,
    );
  });

  it.each([
    ['waiting', 0, null, 'about to be sent'],
    ['waiting', 2, '503 Service Unavailable', 'not taken yet, 2 attempts: 503 Service Unavailable'],
    ['delivered', 1, '200 OK', 'delivered: 200 OK'],
    ['given-up', 7, 'no answer within 15 s', 'given up after 7 attempts: no answer within 15 s'],
  ] as const)('say what became of a notice', (state, attempts, answer, words) => {
    const notice = { key: 'k', event: 'gate-failed', made_at: '', next_at: null, state, attempts, answer };
    expect(noticeInWords(notice)).toBe(words);
  });
});
