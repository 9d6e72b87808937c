import { describe, expect, it } from 'vitest';

import { nameFrom, nameProblem, takenProblem } from './document-name';

describe('nameProblem', () => {
  it.each(['gprs', 'frto+sack', 'mine/late-2.5_x', 'a', 'x-', 'x+', 'papers/sarolahti2003/table-1'])(
    'takes %s',
    (name) => {
      expect(nameProblem(name)).toBeNull();
    },
  );

  it.each([
    ['', /Give it a name/],
    ['x'.repeat(201), /at most 200 characters; this has 201/],
    ['a/b/c/d/e/f/g/h/i', /at most 8 parts/],
    ['/gprs', /none at the beginning/],
    ['a//b', /no two in a row/],
    ['Gprs', /“G” is a capital/],
    ['my link', /no spaces/],
    ['größe', /“ö” cannot/],
    ['-x', /“-x” must begin/],
    ['a/.b', /“.b” must begin/],
    ['x.', /must not end in a full stop/],
    ['x.toml', /Leave out .toml/],
  ])('refuses %j and says why', (name, why) => {
    expect(nameProblem(name)).toMatch(why);
  });
});

describe('nameFrom', () => {
  it.each([
    ['Verizon LTE (short).down', 'verizon-lte-short-.down'],
    ['  Trace 1.', 'trace-1'],
    ['___', ''],
    ['ÄÖ', ''],
  ])('makes of %j a name', (text, name) => {
    expect(nameFrom(text)).toBe(name);
    if (name !== '') expect(nameProblem(name)).toBeNull();
  });
});

describe('a name that is taken', () => {
  const there = [
    { name: 'gprs', origin: 'shipped' },
    { name: 'mine', origin: 'own' },
  ] as const;

  it('is told from one that is free, with whose it is', () => {
    expect(takenProblem('gprs', there, 'link')).toMatch(/shipped link is called gprs/);
    expect(takenProblem('mine', there, 'link')).toMatch(/link called mine already/);
    expect(takenProblem('gprs-2', there, 'link')).toBeNull();
  });
});
