import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { extendingLink, problemsByEvent, readScript, writeScript } from './document';
import type { ScriptEvent } from './script';

const SHIPPED = new URL('../../../profiles/links/', import.meta.url);

const TEXT = `title = "A pause"   # what it is
description = """
A line that looks like a table:
"""

[both]
rate = "28.8 kbit/s" # slow

[[script]]
at  = "10 s"   # after slow start
for = "3 s"
do  = "hold"

[[impairment]]
name = "x"

[[script]]
on   = "down"
at   = "data segment 9"
do   = "delay"
by   = "1 s"
`;

const extra: ScriptEvent = {
  id: 9,
  kind: 'rate',
  on: 'up',
  at: ns(20e9),
  length: ns(2.5e9),
  value: '9.6 kbit/s',
};

function eventsIn(toml: string): readonly ScriptEvent[] {
  const read = readScript(toml);
  if ('wrong' in read) throw new Error(read.wrong);
  return read.events;
}

describe('the script of a text', () => {
  it('is read', () => {
    expect(eventsIn(TEXT)).toEqual([
      { id: 1, kind: 'hold', on: 'both', at: 10e9, length: 3e9, value: null },
      { id: 2, kind: 'late', on: 'down', at: 'data segment 9', length: null, value: '1 s' },
    ]);
  });

  it('may hold arrivals', () => {
    const toml = '[[script]]\nat = "10 s"\nfor = "3 s"\ndo = "hold-arrivals"\n';
    const events = eventsIn(toml);
    expect(events).toEqual([
      { id: 1, kind: 'hold-arrivals', on: 'both', at: 10e9, length: 3e9, value: null },
    ]);
    expect(eventsIn(writeScript(toml, events))).toEqual(events);
  });

  it('is written without touching anything else', () => {
    const [pause, late] = eventsIn(TEXT);
    const text = writeScript(TEXT, [{ ...pause, at: ns(12e9) }, late, extra]);
    expect(text).toContain('"28.8 kbit/s" # slow');
    expect(text).toContain('name = "x"');
    expect(text).not.toContain('after slow start');
    expect(eventsIn(text)).toMatchObject([{ at: 12e9 }, { kind: 'late' }, { ...extra, id: 3 }]);
    // An entry that stays keeps its comments.
    expect(writeScript(TEXT, [pause, extra])).toContain('# after slow start');
    expect(eventsIn(writeScript(TEXT, []))).toEqual([]);
  });

  it('keeps the comments of an entry that changes', () => {
    const [pause, late] = eventsIn(TEXT);
    const text = writeScript(TEXT, [{ ...pause, length: ns(5e9) }, late]);
    expect(text).toBe(TEXT.replace('for = "3 s"', 'for = "5 s"'));
  });

  it('has what is wrong with an entry by the id of its event', () => {
    const problems = [
      { key: 'script[1].by', message: 'b' },
      { key: 'script[0]', message: 'a' },
      { key: 'script[2]', message: 'c' },
    ];
    expect([...problemsByEvent(problems, eventsIn(TEXT))]).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it('is told apart from what only looks like it', () => {
    const text = 'title = """\n[[script]]\n"""\nscript = [{ at = "1 s", for = "2 s", do = "drop" }]\n';
    const [drop] = eventsIn(text);
    const written = writeScript(text, [drop, extra]);
    expect(parse(written)['title']).toBe('[[script]]\n');
    expect(eventsIn(written)).toHaveLength(2);
  });

  it('is refused with a reason where it is not understood', () => {
    expect(readScript('title = ')).toHaveProperty('wrong');
    expect(readScript('[[script]]\nat = "1 s"\n')).toHaveProperty('wrong');
  });

  it.each(readdirSync(SHIPPED))('of %s is written as it was read', (name) => {
    const toml = readFileSync(new URL(name, SHIPPED), 'utf8');
    expect(parse(writeScript(toml, eventsIn(toml)))).toEqual(parse(toml));
  });
});

describe('a link that extends another', () => {
  it('has a title, its base and the events', () => {
    const toml = extendingLink({ title: 'gprs, "late"', base: 'gprs', events: [extra] });
    expect(parse(toml)).toEqual({
      title: 'gprs, "late"',
      extends: 'gprs',
      script: [{ on: 'up', at: '20 s', for: '2.5 s', rate: '9.6 kbit/s' }],
    });
  });
});
