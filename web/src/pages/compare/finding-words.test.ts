import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import {
  changeInWords,
  changeTitle,
  distanceInWords,
  intervalInWords,
  linksInWords,
  neededInWords,
  runsToQueue,
  untestedInWords,
} from './finding-words';

const FINDING: Schema<'Finding'> = {
  link: 'gprs',
  testbed: 'sim',
  baseline: 'sack',
  candidate: 'frto+sack',
  metric: 'elapsed_s',
  paired: true,
  runs: 5,
  medians: [90.5, 80.6],
  means: [83, 78],
  ratio: { value: 0.891, low: 0.82, high: 1.004, at_least: false },
  difference: { value: -9.9, low: null, high: null, at_least: false },
  mean_ratio: null,
  unseen: 0.52,
  test: null,
  effect: null,
  p: null,
  p_adjusted: null,
  mean_p: null,
  mean_p_adjusted: null,
  verdict: 'inconclusive',
  by: null,
  why: '',
  needed: { seen: { runs: 12, low: 6, high: null }, margin: { runs: 400, low: 200, high: 900 } },
};

describe('a finding in words', () => {
  it('is a change in per cent, with its interval', () => {
    expect(distanceInWords(FINDING)).toBe('−11 %');
    expect(intervalInWords({ value: 0.891, low: 0.82, high: 1.004, at_least: false })).toBe(
      '−18 % to +0.4 %',
    );
    expect(intervalInWords({ value: 0.891, low: null, high: null, at_least: false })).toBeNull();
    expect(changeInWords(1)).toBe('0.0 %');
  });

  it('is the median of the pairs’ changes where there are pairs', () => {
    expect(changeTitle([FINDING], 0.95)).toBe('Median of the pairs’ changes (95 % interval)');
    expect(changeTitle([{ ...FINDING, paired: false }], 0.95)).toBe('Change of the median (95 % interval)');
  });

  it('is a difference with its unit where there is no ratio', () => {
    expect(distanceInWords({ ...FINDING, ratio: null })).toBe('−9.90 s');
    expect(distanceInWords({ ...FINDING, ratio: null, difference: null })).toBe('not known');
  });

  it('says why not every row has a test', () => {
    const tested = { ...FINDING, p: 0.01 };
    const same = { ...FINDING, runs: 20 } as const;
    const settled = { ...FINDING, runs: 1, unseen: null, verdict: 'worse' } as const;
    expect(untestedInWords([tested, settled], 2)).toBe(
      '1 of 2 rows have a test: in 1 row nothing is random, and one run tells all.',
    );
    expect(untestedInWords([tested, tested], 2)).toBe('');
    expect(untestedInWords([tested, same, same, FINDING], 4)).toBe(
      '1 of 4 rows have a test: in 2 rows every run is the same on both sides, in 1 row there are too few runs.',
    );
    expect(untestedInWords([tested, tested, same], 1)).toMatch(
      /^2 of 3 rows, those of other links included, have/,
    );
  });

  it('says how many runs would decide', () => {
    expect(neededInWords(FINDING, 0.01)).toEqual([
      '12 runs (6 or many more) of each would show the difference seen, if it is real',
      '400 runs (200 to 900) of each would show that there is none beyond 1 %, if there is none',
    ]);
    expect(runsToQueue(FINDING)).toBe(12);
    expect(runsToQueue({ ...FINDING, needed: { seen: null, margin: null } })).toBeNull();
  });
});

describe('several links', () => {
  const on = (link: string, verdict: Schema<'Finding'>['verdict']) => ({ link, verdict });

  it('are each decided by their own runs, which is said where something is open', () => {
    expect(linksInWords([on('gprs', 'inconclusive'), on('umts', 'better')])).toBe(
      'Each of 2 links is decided by its own runs: more repetitions say more about these links; only more links say anything about others.',
    );
    expect(linksInWords([on('gprs', 'better'), on('umts', 'better')])).toBe('');
    expect(linksInWords([on('gprs', 'inconclusive'), on('gprs', 'better')])).toBe('');
  });
});
