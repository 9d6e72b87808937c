import { readdirSync, readFileSync } from 'node:fs';
import { parse, type TomlTable } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import schema from '../../../schema/link.json';
import { list } from '../lib/json';
import { freshTable, type FormTable, type TableField } from '../lib/schema-table';
import { edited, parsed } from '../lib/toml-edit';
import { withValue, type Path } from '../lib/values';
import {
  freePlaces,
  freshImpairment,
  heldKind,
  IMPAIRMENT,
  LINK_FIELDS,
  LINK_TABLES,
  linkField,
  ofKind,
  PATH_FIELDS,
  PATH_TABLES,
  shownKeys,
  tablesIn,
  valueOf,
  withField,
} from './fields';

function table(key: string): FormTable {
  const found = [...PATH_TABLES, ...LINK_TABLES, IMPAIRMENT].find((one) => one.key === key);
  if (found === undefined) throw new Error(`no table ${key}`);
  return found;
}

function field(of: string, kind: string, key: string): TableField {
  const found = table(of)
    .kinds.find(({ name }) => name === kind)
    ?.fields.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no ${of}.${kind}.${key}`);
  return found;
}

describe('the tables of a direction', () => {
  it('are those of the schema, with what each takes', () => {
    expect(PATH_TABLES.map(({ key }) => key)).toEqual([
      'allocation',
      'arq',
      'light',
      'queue',
      'rate',
      'service',
    ]);
    expect(LINK_TABLES.map(({ key }) => key)).toEqual(['rebinding', 'recording', 'replay']);
    expect(table('queue').kinds.map(({ label }) => label)).toContain('FQ-CoDel');
    expect(table('arq').kinds.map(({ name }) => name)).toEqual(['']);
    expect(table('arq').kinds[0].fields.map(({ key }) => key)).toEqual([
      'send_buffer',
      'receive_buffer',
      'persistence',
      'retry_after',
    ]);
  });

  it('have fields with label, default, range and example in words', () => {
    expect(field('queue', 'red', 'mean_packet')).toEqual({
      key: 'mean_packet',
      label: 'Mean packet',
      about: 'The packet size by which idle time is counted. From 1 B to 100 kB.',
      required: false,
      type: 'text',
      example: '1776 B',
      hint: '1000 B',
      isOn: false,
    });
    expect(field('queue', 'red', 'maximum').hint).toBe('three times minimum');
    expect(field('queue', 'red', 'gentle')).toMatchObject({ type: 'switch', isOn: true });
    expect(field('queue', 'red', 'ecn')).toMatchObject({ type: 'switch', isOn: false });
    expect(field('queue', 'drr', 'flows')).toMatchObject({ type: 'count', label: 'Queues', hint: '1024' });
    expect(field('service', 'contention', 'cw_min').label).toBe('CWmin');
    expect(field('arq', '', 'retry_after').hint).toBe('for example 200 ms');
    expect(field('light', '', 'trains').type).toBe('lines');
  });

  it('have the words of a key, rows and numbers', () => {
    const on = IMPAIRMENT.kinds[0].fields.find(({ key }) => key === 'on');
    expect(on).toMatchObject({ type: 'choice', required: true });
    expect(on?.choices?.map(({ value }) => value)).toEqual(['down', 'up', 'each', 'both']);
    expect(linkField('family').choices?.[1]).toEqual({
      value: '5g',
      label: '5G',
      about: 'New Radio, the fifth generation of mobile networks.',
    });
    expect(field('recording', '', 'zeros').choices?.map(({ label }) => label)).toEqual(['Hold', 'Outage']);
    expect(field('rate', 'stepped', 'steps').fields?.map(({ key }) => key)).toEqual(['at', 'rate']);
    expect(field('rate', 'trace', 'milliseconds').type).toBe('numbers');
    expect(linkField('source').type).toBe('lines');
    expect(linkField('title').type).toBe('text');
  });

  it('have a place for every key of the schema', () => {
    const keys = (fields: readonly { readonly key: string }[]) => fields.map(({ key }) => key);
    const special = ['both', 'down', 'up', 'impairment', 'script'];
    expect([...keys(LINK_FIELDS), ...keys(LINK_TABLES), ...special].sort()).toEqual(
      Object.keys(schema.properties).sort(),
    );
    expect([...new Set([...keys(PATH_FIELDS), ...keys(PATH_TABLES)])].sort()).toEqual(
      Object.keys(schema.$defs.PathFile.properties).sort(),
    );
  });

  it('begin with an example of what must be said', () => {
    expect(freshTable(table('service').kinds[0])).toEqual({ kind: 'grants', cycle: '1 ms' });
    expect(freshTable(table('allocation').kinds[0])).toEqual({ idle_after: '5 s', delay: '2 s' });
  });

  it('keep what two kinds share', () => {
    const [, red] = table('queue').kinds;
    const codel = { kind: 'codel', limit: '64 kB', interval: '1 s', ecn: true };
    expect(ofKind(codel, red)).toEqual({ kind: 'red', limit: '64 kB', ecn: true });
    expect(ofKind({ kind: 'codel' }, red)).toEqual({ kind: 'red', limit: '7 packets' });
  });

  it('say only what is not so anyhow', () => {
    const [limit, ecn] = [field('queue', 'codel', 'limit'), field('queue', 'codel', 'ecn')];
    const target = field('queue', 'codel', 'target');
    const codel = { kind: 'codel', limit: '64 kB' };
    const marking = { ...codel, ecn: true };
    expect(withField(codel, ecn, valueOf(ecn, true))).toEqual(marking);
    expect(withField(marking, ecn, valueOf(ecn, false))).toEqual(codel);
    expect(withField(codel, target, valueOf(target, '5 '))).toEqual({ ...codel, target: '5 ' });
    expect(withField({ ...codel, target: '5 ms' }, target, valueOf(target, ' '))).toEqual(codel);
    // The engine says what is wrong with an empty limit: the key stays.
    expect(withField(codel, limit, valueOf(limit, ''))).toEqual({ kind: 'codel', limit: '' });
    const flows = field('queue', 'fq-codel', 'flows');
    expect(withField({}, flows, valueOf(flows, '16'))).toEqual({ flows: 16 });
    expect(withField({}, flows, valueOf(flows, 'many'))).toEqual({ flows: 'many' });
    expect(
      Object.keys(withField({ kind: 'codel', limit: '1', ecn: true }, limit, valueOf(limit, '2'))),
    ).toEqual(['kind', 'limit', 'ecn']);
  });

  it('are left to the text where a form would lose something of them', () => {
    const queue = table('queue');
    expect(heldKind(queue, { kind: 'red', limit: '9 kB', weight: 0.002 })?.name).toBe('red');
    for (const said of [
      {},
      { kind: 'sfq' },
      { kind: 'codel', other: '1' },
      { kind: 'codel', ecn: 'yes' },
      { kind: 'codel', limit: ['1'] },
      'x',
    ]) {
      expect(heldKind(queue, said)).toBeNull();
    }
    const rate = table('rate');
    const steps = Array.from({ length: 201 }, (_, i) => ({ at: `${i} s`, rate: '1 Mbit/s' }));
    expect(heldKind(rate, { kind: 'stepped', steps: steps.slice(1) })?.name).toBe('stepped');
    expect(heldKind(rate, { kind: 'stepped', steps })).toBeNull();
    expect(heldKind(rate, { kind: 'stepped', steps: [{ at: '0 s', rat: '1' }] })).toBeNull();
    expect(heldKind(rate, { kind: 'trace', milliseconds: [1, 2n] })).toBeNull();
    expect(heldKind(table('recording'), { csv: 'x'.repeat(20_001) })).toBeNull();
  });
});

const LINK = `title = "A {brace}"

[both]                    # alike
rate  = "1 Mbit/s"
queue = { kind = "droptail", limit = "50 packets" } # {as} measured
[ up ]
  queue={kind="codel",limit="}",ecn=true}
[up.service]
kind = "grants"  # LTE
cycle = "1 ms"   # a subframe
[[script]]
queue = { kind = "droptail", limit = "2 packets" }
`;

const set = (toml: string, path: Path, value: TomlTable | string | undefined) =>
  edited(toml, withValue(parsed(toml), path, value));

describe('tables in the text of a link', () => {
  it('are found, and so is where they could be added', () => {
    const link = parsed(LINK);
    expect(tablesIn(link).map(({ place, table: { key } }) => [place, key])).toEqual([
      ['both', 'queue'],
      ['up', 'queue'],
      ['up', 'service'],
    ]);
    expect(freePlaces(link, 'queue')).toEqual(['down']);
    expect(freePlaces(link, 'arq')).toEqual(['both', 'down', 'up']);
    // A constant rate has a field of its own.
    const varying = withValue(link, 'down.rate', { kind: 'trace', file: 'x' });
    expect(tablesIn(varying).map(({ place, table: { key } }) => `${place}.${key}`)).toContain('down.rate');
  });

  it('change, and nothing else does', () => {
    const pie = { kind: 'pie', limit: '64 kB', ecn: true };
    expect(set(LINK, 'both.queue', pie)).toBe(
      LINK.replace(
        '{ kind = "droptail", limit = "50 packets" } # {as}',
        '{ kind = "pie", limit = "64 kB", ecn = true } # {as}',
      ),
    );
    expect(set(LINK, 'up.service.cycle', '0.5 ms')).toBe(LINK.replace('"1 ms"  ', '"0.5 ms"  '));
  });

  it('come and go', () => {
    const arq = { send_buffer: '10 kB', receive_buffer: '', persistence: 'none' };
    const added = set(LINK, 'both.arq', arq);
    expect(added).toBe(
      LINK.replace(
        ' # {as} measured\n',
        ' # {as} measured\narq   = { send_buffer = "10 kB", receive_buffer = "", persistence = "none" }\n',
      ),
    );
    expect(set(added, 'both.arq', undefined)).toBe(LINK);
  });
});

describe('what the engine says of a link', () => {
  it('stands at a field if there is one', () => {
    const link = parsed(`${LINK}\n[[impairment]]\nname = "a"\nkind = "loss"\non = "up"\n`);
    const shown = shownKeys(link);
    for (const key of [
      'title',
      'up.delay',
      'both.queue.limit',
      'down.queue',
      'up.service',
      'impairment[0].probability',
      'script[0].for',
    ])
      expect(`${key} ${shown(key)}`).toBe(`${key} true`);
    for (const key of ['evry', 'both.rat', 'both.queue.interval', 'impairment[1]', 'script[1]', '', null])
      expect(`${key} ${shown(key)}`).toBe(`${key} false`);
  });
});

describe('a shipped link', () => {
  const folder = new URL('../../../profiles/links/', import.meta.url);
  const comments = (toml: string) =>
    toml.split('\n').flatMap((line) => /(?:^|\s)#.*$/.exec(line)?.[0].trim() ?? []);

  it.each(readdirSync(folder))('%s keeps its comments in the form, and says what was entered', (name) => {
    const toml = readFileSync(new URL(name, folder), 'utf8');
    const count = list(parse(toml)['impairment']).length;
    const loss = IMPAIRMENT.kinds.find((kind) => kind.name === 'loss');
    const added = loss && freshImpairment(loss, []);
    const changes: readonly (readonly [Path, TomlTable | string])[] = [
      ['title', 'Another'],
      // The comments within a table that a value replaces go with it.
      [
        tablesIn(parsed(toml)).some(({ table: { key } }) => key === 'rate') ? 'source' : 'down.rate',
        '3 Mbit/s',
      ],
      ['up.delay', '7 ms'],
      ['both.arq', { send_buffer: '1 kB', receive_buffer: '1 kB', persistence: 'none' }],
      [['impairment', count], added ?? {}],
    ];
    let text = toml;
    let wanted = parsed(toml);
    for (const [path, value] of changes) {
      text = set(text, path, value);
      wanted = withValue(wanted, path, value);
    }
    expect(parsed(text)).toEqual(wanted);
    const kept = comments(text);
    // What a changed value had beside or within itself may go with it.
    const [alone] = [comments(toml).filter((one) => toml.includes(`\n${one}\n`))];
    expect(alone.filter((one) => !kept.includes(one))).toEqual([]);
  });

  it.each(readdirSync(folder))('%s has its tables in fields, but for the longest', (name) => {
    const link = parsed(readFileSync(new URL(name, folder), 'utf8'));
    for (const { table: one, said } of tablesIn(link))
      if (JSON.stringify(said).length < 5_000) expect(heldKind(one, said)).not.toBeNull();
    for (const one of list(link['impairment'])) expect(heldKind(IMPAIRMENT, one)).not.toBeNull();
  });
});
