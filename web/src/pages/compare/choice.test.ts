import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { choiceOf, chosenRuns, knownOf, pairOf, partnerIn, withoutPartner, withPair } from './choice';
import { runLine } from '../../testing/run-line';

type RunLine = Schema<'RunLine'>;

const run = (place: number, given: Partial<RunLine>): RunLine => runLine({ id: place + 1, place, ...given });

const RUNS = [
  run(3, { variant: 'frto+sack', repetition: 2, state: 'failed' }),
  run(0, {}),
  run(1, { repetition: 2 }),
  run(2, { variant: 'frto+sack' }),
  run(4, { variant: 'newreno' }),
];
const choose = (address: string) => choiceOf(new URLSearchParams(address), knownOf(RUNS));

describe('what is compared', () => {
  it('is the whole of a short plan unless the address says so, the first of it the baseline', () => {
    expect(choose('')).toMatchObject({
      variants: ['sack', 'frto+sack', 'newreno'],
      repetition: 1,
      way: 'overlay',
    });
    const many = ['a', 'b', 'c', 'd', 'e'].map((variant, place) => run(place, { variant }));
    expect(choiceOf(new URLSearchParams(), knownOf(many)).variants).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has the baseline that the address names first', () => {
    expect(choose('v=newreno&v=sack').variants).toEqual(['newreno', 'sack']);
    expect(choose('v=newreno').variants).toEqual(['newreno', 'sack']);
  });

  it('is never something that is not there', () => {
    expect(choose('v=cubic&v=sack&v=sack&link=lte&testbed=moon&repetition=9&way=up')).toMatchObject({
      variants: ['sack', 'frto+sack'],
      link: 'gprs',
      testbed: 'sim',
      repetition: 1,
      way: 'overlay',
    });
  });

  it('are the runs of one repetition, in the order of the variants', () => {
    expect(chosenRuns(RUNS, choose('v=newreno&v=sack')).map(({ variant }) => variant)).toEqual([
      'newreno',
      'sack',
    ]);
  });

  it('leaves out repetitions that not all have', () => {
    const alone = withoutPartner(RUNS, choose('v=sack&v=frto%2Bsack'));
    expect(alone.map(({ repetition }) => repetition)).toEqual([2]);
    expect(alone[0]?.without.map((one) => [one.variant, one.run?.state])).toEqual([['frto+sack', 'failed']]);
    expect(withoutPartner(RUNS, choose('v=newreno&v=sack'))[0]?.without[0]?.run).toBeNull();
  });
});

describe('where two variants part', () => {
  it('is asked of the baseline and whom the address names', () => {
    const address = 'v=sack&v=frto%2Bsack&part=frto%2Bsack';
    expect(partnerIn(new URLSearchParams(address), choose(address))).toBe('frto+sack');
    expect(partnerIn(new URLSearchParams('part=sack'), choose('part=sack'))).toBeNull();
    expect(partnerIn(new URLSearchParams('part=nothing'), choose(''))).toBeNull();
    expect(partnerIn(new URLSearchParams(''), choose(''))).toBeNull();
  });

  it('is of the same repetition of both, where both have a result', () => {
    expect(pairOf(RUNS, choose(''), 'frto+sack')).toEqual([1, 3]);
    expect(pairOf(RUNS, choose('repetition=2'), 'frto+sack')).toBeNull();
    expect(pairOf(RUNS, choose('repetition=2'), 'newreno')).toBeNull();
  });

  it('is looked at in another repetition, where diagrams begin anew', () => {
    const next = withPair(new URLSearchParams('v=a&repetition=1&t=1_2&part=b'), 4);
    expect(next.toString()).toBe('v=a&part=b&repetition=4');
  });
});
