import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { commandOf } from './command';
import { changeInWords, delayInWords, doesInWords, lostInWords, rateInWords, whyNot } from './words';

const way: Schema<'EmulatorDirection'> = {
  packets: 10,
  octets: 15_000,
  dropped: { queue: 1200, loss: 3, outage: 0 },
  inside_packets: 2,
  queued_packets: 1,
  queued_octets: 1500,
  rate_bps: 64_000,
  delay_ms: 200.5,
  held: false,
  dropping: false,
};

describe('the words for a direction', () => {
  it('say what is in force', () => {
    expect(rateInWords(way)).toBe('64 kbit/s');
    expect(rateInWords({ ...way, rate_bps: null })).toBe('no limit');
    expect(rateInWords({ ...way, rate_bps: 0 })).toMatch(/nothing/);
    expect(delayInWords(way)).toBe('200.5 ms');
    expect(delayInWords({ ...way, delay_ms: null })).toBe('drawn for each packet');
    expect(doesInWords(way)).toBe('delivers');
    expect(doesInWords({ ...way, held: true })).toBe('holds everything');
    expect(doesInWords({ ...way, dropping: true })).toBe('drops everything');
  });

  it('name the causes that lost packets, and no others', () => {
    expect(lostInWords(way)).toBe('1,200 queue, 3 loss');
    expect(lostInWords({ ...way, dropped: { queue: 0 } })).toBe('none');
  });
});

describe('a plane', () => {
  const model = { name: 'model', works: true, why: null } as const;

  it('that does not work says what is missing', () => {
    const netem = { name: 'netem', works: false, why: 'unknown qdisc "netem"' } as const;
    expect(whyNot([model, netem])).toBe('The kernel’s netem does not work here: unknown qdisc "netem"');
  });

  it('that works says nothing', () => {
    expect(whyNot([model, { ...model, name: 'netem' }])).toBeUndefined();
  });
});

describe('a change', () => {
  const change: Schema<'LinkChange'> = {
    id: 1,
    kind: 'set',
    direction: 'down',
    set: { rate: '64 kbit/s', delay: null, loss: '1 %' },
    since: '2026-01-01T00:00:00Z',
    until: null,
  };

  it('is told in the words of the command', () => {
    expect(changeInWords(change)).toBe('set rate 64 kbit/s, loss 1 %, down');
    expect(changeInWords({ ...change, kind: 'hold', direction: 'both', set: null })).toBe('hold, both ways');
  });

  it('has a command that a shell takes as it is meant', () => {
    expect(commandOf({ kind: 'hold' })).toBe('windlull link hold');
    expect(commandOf({ kind: 'drop', direction: 'up', for: '3 s' })).toBe(
      "windlull link drop --on up --for '3 s'",
    );
    expect(commandOf({ kind: 'set', set: { rate: '64kbit/s', delay: null, loss: "1'%" } })).toBe(
      String.raw`windlull link set --rate 64kbit/s --loss '1'\''%'`,
    );
  });
});
