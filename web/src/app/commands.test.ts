import { IconHome } from '@tabler/icons-react';
import { describe, expect, it } from 'vitest';

import { chosenFrom, find, numberIn, withChosen, type Entry } from './commands';

const entry = (group: Entry['group'], label: string, more: Partial<Entry> = {}): Entry => ({
  id: `${group}:${label}`,
  group,
  label,
  icon: IconHome,
  choose: '/',
  ...more,
});

const entries = [
  entry('Pages', 'Papers'),
  entry('Pages', 'Profiles'),
  entry('Experiments', 'papers/sarolahti2003/table-1', { about: 'Table 1: sudden delays' }),
  entry('Profiles', 'frto+sack', { about: 'F-RTO with SACK' }),
  entry('Profiles', 'sack', { about: 'Selective acknowledgements' }),
];
const labels = (query: string) => find(entries, query).map(({ label }) => label);

describe('find', () => {
  it('shows all without a query', () => {
    expect(find(entries, '  ')).toEqual(entries);
  });

  it('wants every word, anywhere', () => {
    expect(labels('delays table')).toEqual(['papers/sarolahti2003/table-1']);
    expect(labels('delays nowhere')).toEqual([]);
  });

  it('puts what begins so before what has it inside, and that before what is said of it', () => {
    expect(labels('sack')).toEqual(['sack', 'frto+sack']);
    expect(labels('f-rto')).toEqual(['frto+sack']);
  });

  it('puts the group of the best line first', () => {
    expect(labels('table')).toEqual(['papers/sarolahti2003/table-1']);
    expect(labels('pa')).toEqual(['Papers', 'papers/sarolahti2003/table-1']);
  });

  it('shows no more than a few of a group', () => {
    const many = Array.from({ length: 30 }, (_, i) => entry('Batches', `Batch ${i}`));
    expect(find([...many, ...entries], '')).toHaveLength(7 + entries.length);
  });
});

describe('numberIn', () => {
  it('reads a number, and of what it is', () => {
    expect(numberIn('12')).toEqual({ number: 12, of: null });
    expect(numberIn(' #7 ')).toEqual({ number: 7, of: null });
    expect(numberIn('Run 3')).toEqual({ number: 3, of: 'run' });
    expect(numberIn('batch #4')).toEqual({ number: 4, of: 'batch' });
  });

  it('reads none where there is none', () => {
    for (const text of ['', '0', '-1', '1.5', 'run', 'frto2', '99999999999999999']) {
      expect(numberIn(text)).toBeNull();
    }
  });
});

describe('what was chosen', () => {
  it('stands first once, and the oldest goes', () => {
    const choice = (to: string) => ({ label: to, to });
    let chosen = ['/a', '/b', '/c', '/d', '/e', '/b', '/f'].reduce<ReturnType<typeof withChosen>>(
      (before, to) => withChosen(before, choice(to)),
      [],
    );
    expect(chosen.map(({ to }) => to)).toEqual(['/f', '/b', '/e', '/d', '/c']);
    chosen = chosenFrom(JSON.stringify(chosen));
    expect(chosen).toHaveLength(5);
  });

  it('is nothing where the browser kept something else', () => {
    for (const text of [null, '', 'no JSON', '{}', '[1, null, {"label": 1, "to": "/"}]']) {
      expect(chosenFrom(text)).toEqual([]);
    }
    expect(chosenFrom('[{"label": "x", "to": "//elsewhere.example"}]')).toEqual([]);
  });
});
