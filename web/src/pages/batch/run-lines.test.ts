import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { csvOf, linesOf, shownLines, type Wanted } from './run-lines';
import { runLine } from '../../testing/run-line';

const run = (id: number, more: Partial<Schema<'RunLine'>> = {}): Schema<'RunLine'> =>
  runLine({ id, experiment: 'x', place: id - 1, repetition: id, seed: String(id), ...more });

const summary = (values: number[], repetitions?: number[]): Schema<'Summary'> => ({
  ...{ median: 0, mean: 0, q1: 0, q3: 0, min: 0, max: 0, values },
  ...(repetitions && { repetitions }),
});

const RUNS = [
  run(1, { seed: '18446744073709551615' }),
  run(2, { state: 'failed', reason: 'a "full", disk' }),
  run(3, { seed: '9' }),
  run(4, { variant: 'newreno', repetition: 1, seed: '10' }),
];
const CELLS = [
  {
    variant: 'sack',
    link: 'gprs',
    testbed: 'sim',
    runs: 2,
    metrics: { elapsed_s: summary([30, 20], [1, 3]) },
  },
  { variant: 'newreno', link: 'gprs', testbed: 'sim', runs: 1, metrics: { elapsed_s: summary([25]) } },
];
const EVERY: Wanted = { states: [], variant: null, link: null, words: '', by: null, down: false };

describe('the runs of a batch', () => {
  const lines = linesOf(RUNS, CELLS);
  const shown = (wanted: Partial<Wanted>) =>
    shownLines(lines, { ...EVERY, ...wanted }).map(({ run: { id } }) => id);

  it('have what they measured, by repetition', () => {
    expect(lines.map(({ metrics }) => metrics['elapsed_s'])).toEqual([30, undefined, 20, 25]);
  });

  it('stand in the order of the plan unless they are sorted', () => {
    expect(shown({})).toEqual([1, 2, 3, 4]);
    expect(shown({ by: 'run', down: true })).toEqual([4, 3, 2, 1]);
    expect(shown({ by: 'variant' })).toEqual([4, 1, 2, 3]);
  });

  it('are sorted by what they measured, those without it last in either direction', () => {
    expect(shown({ by: 'elapsed_s' })).toEqual([3, 4, 1, 2]);
    expect(shown({ by: 'elapsed_s', down: true })).toEqual([1, 4, 3, 2]);
  });

  it('are sorted by their seeds as numbers of 64 bits', () => {
    expect(shown({ by: 'seed' })).toEqual([2, 3, 4, 1]);
  });

  it('are filtered and searched', () => {
    expect(shown({ states: ['failed', 'queued'] })).toEqual([2]);
    expect(shown({ variant: 'newreno' })).toEqual([4]);
    expect(shown({ link: 'edge' })).toEqual([]);
    expect(shown({ words: 'DISK full' })).toEqual([2]);
    expect(shown({ words: '18446744073709551615' })).toEqual([1]);
  });

  it('are given as CSV', () => {
    expect(csvOf(lines.slice(0, 2), ['elapsed_s'])).toBe(
      'run,variant,link,testbed,repetition,seed,state,reason,elapsed_s\r\n' +
        '1,sack,gprs,sim,1,18446744073709551615,done,,30\r\n' +
        '2,sack,gprs,sim,2,2,failed,"a ""full"", disk",\r\n',
    );
  });
});
