import { readdirSync, readFileSync } from 'node:fs';
import { stringify, type TomlTable } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { edited, parsed } from './toml-edit';

const TEXT = `# head
title       = "x"     # its title
extends     = "base"
repetitions = 3       # thirty in the paper
link        = "a"

# the settings
[tcp]
mss = "1 B"   # small

[tcp.timer]   # of the paper
minimum_rto = "1 s"

# what is claimed
[[claim]]
id   = "a"    # the first
text = "A"

# and then
[[claim]]
id   = "b"
text = "B"
`;
const table = parsed(TEXT);
const claims = table['claim'] as TomlTable[];
const without = (key: string) => Object.fromEntries(Object.entries(table).filter(([one]) => one !== key));

/** Edits, and says which lines went and which came. */
function difference(wanted: TomlTable, text = TEXT) {
  const result = edited(text, wanted);
  expect(parsed(result)).toEqual(wanted);
  const [old, now] = [text.split('\n'), result.split('\n')];
  return {
    gone: old.filter((line) => line !== '' && !now.includes(line)),
    come: now.filter((line) => line !== '' && !old.includes(line)),
    result,
  };
}

describe('a text that is edited', () => {
  it('stays as it is written where nothing changes', () => {
    expect(edited(TEXT, structuredClone(table))).toBe(TEXT);
  });

  it('has another value in the place of the old one, with the comment beside it', () => {
    expect(difference({ ...table, repetitions: 30 }).come).toEqual([
      'repetitions = 30       # thirty in the paper',
    ]);
    expect(difference({ ...table, tcp: { mss: '2 B', timer: { minimum_rto: '1 s' } } }).come).toEqual([
      'mss = "2 B"   # small',
    ]);
  });

  it('loses a key with its line, and a table with its head', () => {
    expect(difference(without('repetitions'))).toMatchObject({
      gone: ['repetitions = 3       # thirty in the paper'],
      come: [],
    });
    expect(difference({ ...table, tcp: { mss: '1 B' } }).gone).toEqual([
      '[tcp.timer]   # of the paper',
      'minimum_rto = "1 s"',
    ]);
  });

  it('has a new key behind the one that comes before it', () => {
    const { title, ...others } = table;
    const { result, come } = difference({ title, seed: 9007199254740993n, ...others } as TomlTable);
    expect(come).toEqual(['seed        = 9007199254740993']);
    expect(result).toContain('# its title\nseed ');
    expect(difference({ ...table, links: ['a', 'b'] }).result).toContain('"a"\nlinks       = ["a", "b"]\n');
  });

  it('has new keys of tables in them, and new tables at its end', () => {
    const { result } = difference({ ...table, tcp: { ...(table['tcp'] as TomlTable), ecn: 'on' } });
    expect(result).toContain('# small\necn = "on"\n');
    expect(difference({ ...table, live: { peer: 'same' } }).result).toMatch(/\n\n\[live\]\npeer = "same"\n$/);
    const first = { ...without('claim'), claim: [{ id: 'n', note: 'new' }] };
    expect(difference(first, edited(TEXT, without('claim'))).result).toMatch(/\n\n\[\[claim\]\]\nid   = "n"/);
  });

  it('keeps the tables of a list that stay', () => {
    expect(difference({ ...table, claim: [claims[1]] })).toMatchObject({
      gone: ['id   = "a"    # the first', 'text = "A"'],
      come: [],
    });
    const more = [...claims, { id: 'c', factor: 1.5 }];
    expect(difference({ ...table, claim: more }).come).toEqual(['id     = "c"', 'factor = 1.5']);
    const between = [claims[0], { id: 'n' }, claims[1]];
    expect(difference({ ...table, claim: between }).result).toContain(
      '"A"\n\n[[claim]]\nid = "n"\n\n# and then',
    );
    expect(difference({ ...table, claim: [{ id: 'n' }, ...claims] }).result).toContain(
      '"1 s"\n\n[[claim]]\nid = "n"\n\n# what is claimed\n',
    );
    const other = [{ ...claims[0], text: 'Z' }, claims[1]];
    expect(difference({ ...table, claim: other }).come).toEqual(['text = "Z"']);
  });

  it('has a text of several lines on as many', () => {
    const said = { tcp: { note: 'a "b"\n\\c\n' } };
    expect(edited('[tcp]\nnote = "x"  # why\n', said)).toBe(
      '[tcp]\nnote = """\na \\"b\\"\n\\\\c\n"""  # why\n',
    );
    expect(parsed(edited('', said))).toEqual(said);
  });

  it('begins with what is wanted if it was empty, and keeps a text of comments alone', () => {
    expect(edited('', { title: 'x' })).toBe('title = "x"\n');
    expect(edited('# why', { title: 'x' })).toBe('title = "x"\n# why\n');
  });

  it('is written anew where it cannot be edited', () => {
    const dotted = 'tcp.mss = "1 B"\n';
    expect(edited(dotted, { tcp: { mss: '1 B', ecn: 'on' } })).toBe('[tcp]\nmss = "1 B"\necn = "on"\n');
  });

  const folder = new URL('../../../profiles/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  it.each(files.filter((name) => name.endsWith('.toml')))('%s keeps its comments', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const own = parsed(text);
    expect(edited(text, structuredClone(own))).toBe(text);
    const comments = (toml: string) => toml.split('\n').filter((line) => line.startsWith('#'));
    const changes: readonly TomlTable[] = [
      { ...own, title: 'Another' },
      { ...own, repetitions: 77, variants: ['a', 'b'] },
      { ...own, live: { peer: 'same' }, fresh: [{ id: 'x', value: 0.5 }] },
      Object.fromEntries(Object.entries(own).filter(([key]) => key !== 'source')),
    ];
    for (const wanted of changes) {
      const result = edited(text, wanted);
      expect(parsed(result)).toEqual(parsed(stringify(wanted)));
      expect(comments(result)).toEqual(comments(text));
    }
  });
});
