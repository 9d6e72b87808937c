import { describe, expect, it } from 'vitest';

import { impairments, linkRows, scriptEvents, settingRows, valueText } from './resolved';

describe('linkRows', () => {
  it('lays one direction over both', () => {
    const rows = linkRows({
      both: { rate: '1 Mbit/s', queue: { kind: 'droptail', limit: '7 packets' } },
      up: { rate: '10 kbit/s' },
    });
    expect(rows).toEqual([
      { key: 'rate', values: ['1 Mbit/s', '10 kbit/s'] },
      { key: 'queue', values: ['droptail, limit 7 packets', 'droptail, limit 7 packets'] },
    ]);
  });

  it('says where only one direction has something', () => {
    const rows = linkRows({ down: { arq: { send_buffer: '10 B' } }, up: {} });
    expect(rows).toEqual([{ key: 'arq', values: ['send buffer 10 B', 'none'] }]);
  });
});

describe('settingRows', () => {
  it('goes into tables, and leaves out what stands elsewhere', () => {
    const resolved = {
      title: 't',
      sack: true,
      delayed_ack: { kind: 'none' },
      timer: { minimum_rto: '1 s', granularity: '1 ms' },
    };
    expect(settingRows(resolved)).toEqual([
      { key: 'sack', values: ['yes'] },
      { key: 'delayed_ack', values: ['none'] },
      { key: 'timer.minimum_rto', values: ['1 s'] },
      { key: 'timer.granularity', values: ['1 ms'] },
    ]);
  });
});

describe('what happens on a link', () => {
  it('is told by process', () => {
    const resolved = { impairment: [{ name: 'a', kind: 'loss', on: 'each', probability: 0.02 }] };
    expect(impairments(resolved)).toEqual([
      { name: 'a', kind: 'loss', where: 'each direction for itself', details: 'probability 0.02' },
    ]);
    expect(impairments({})).toEqual([]);
  });

  it('is told by event', () => {
    const resolved = {
      script: [
        { at: '10 s', for: '3 s', do: 'hold' },
        { at: '20 s', on: 'up', rate: '9600 bit/s' },
      ],
    };
    expect(scriptEvents(resolved)).toEqual([
      { at: '10 s', lasts: '3 s', where: 'both directions at once', what: 'hold' },
      { at: '20 s', lasts: '', where: 'up', what: 'rate 9600 bit/s' },
    ]);
  });
});

describe('valueText', () => {
  it('counts what is too long to tell', () => {
    expect(valueText({ kind: 'trace', milliseconds: Array.from({ length: 500 }, (_, i) => i) })).toBe(
      'trace, 500 milliseconds',
    );
    expect(valueText('x'.repeat(300))).toHaveLength(142);
  });
});
