import { describe, expect, it } from 'vitest';

import { askedOf, EMPTY, figuresInWords, numberProblem, withColumn, type Column, type Draft } from './draft';

const FILE = { name: 'drive.csv', text: 'a;b', direction: 'both', format: null } as const;
const WITH: Draft = { ...EMPTY, files: [FILE] };

describe('askedOf', () => {
  it('asks nothing without a file, or while a number is none', () => {
    expect(askedOf(EMPTY)).toBeNull();
    expect(askedOf({ ...WITH, to: 'soon' })).toBeNull();
    expect(askedOf({ ...WITH, rateTimes: '0' })).toBeNull();
  });

  it('leaves to the files what nobody typed', () => {
    expect(askedOf({ ...WITH, upRate: ' 2 Mbit/s ', from: '5', rateTimes: '1.5' })).toMatchObject({
      files: [FILE],
      up_rate: '2 Mbit/s',
      down_rate: null,
      from_s: 5,
      to_s: null,
      rate_times: 1.5,
      delay_times: 1,
      random_start: true,
    });
  });
});

describe('withColumn', () => {
  const column: Column = { name: 'DL', examples: [], quantity: 'down', unit: 'kbit/s' };

  it('takes a quantity from a column and gives it another', () => {
    const draft = withColumn({ ...WITH, units: { down: 'Mbit/s' } }, column, 'up');
    expect(draft.columns).toEqual({ down: '', up: 'DL' });
    expect(draft.units).toEqual({});
    expect(withColumn(WITH, column, null).columns).toEqual({ down: '' });
  });
});

describe('numberProblem', () => {
  it('takes a beginning of 0, but no factor of 0', () => {
    expect(numberProblem('from', '0')).toBeNull();
    expect(numberProblem('from', '-1')).not.toBeNull();
    expect(numberProblem('delayTimes', '0')).not.toBeNull();
    expect(numberProblem('to', '')).toBeNull();
  });
});

describe('figuresInWords', () => {
  it('tells what the files tell', () => {
    const none = {
      ...{ mean_bps: null, least_bps: null, greatest_bps: null, without_rate: null },
      ...{ delay_ms: null, greatest_delay_ms: null, loss: null },
    };
    const down = { ...none, mean_bps: 5, without_rate: 0.25, delay_ms: 20.12345 };
    expect(figuresInWords({ length_s: 60, rows: 3, down, up: none }, (bps) => `${bps} bit/s`)).toEqual([
      ['Length', '60 s'],
      ['Mean rate down', '5 bit/s'],
      ['No rate down', '25 % of the time'],
      ['Delay, one way (median)', '20.12 ms'],
    ]);
  });
});
