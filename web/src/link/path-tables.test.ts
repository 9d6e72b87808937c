import { describe, expect, it } from 'vitest';

import { freshTable, type TableField } from '../lib/schema-table';
import {
  heldKind,
  ofKind,
  PATH_TABLES,
  tableProblems,
  tablesIn,
  withField,
  withTable,
  type PathTable,
} from './path-tables';

function table(key: string): PathTable {
  const found = PATH_TABLES.find((one) => one.key === key);
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
    expect(PATH_TABLES.map(({ key }) => key)).toEqual(['allocation', 'arq', 'light', 'queue', 'service']);
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
    expect(withField(codel, ecn, true)).toEqual(marking);
    expect(withField(marking, ecn, false)).toEqual(codel);
    expect(withField(codel, target, '5 ')).toEqual({ ...codel, target: '5 ' });
    expect(withField({ ...codel, target: '5 ms' }, target, ' ')).toEqual(codel);
    // The engine says what is wrong with an empty limit: the key stays.
    expect(withField(codel, limit, '')).toEqual({ kind: 'codel', limit: '' });
    const flows = field('queue', 'fq-codel', 'flows');
    expect(withField({}, flows, '16')).toEqual({ flows: 16 });
    expect(withField({}, flows, 'many')).toEqual({ flows: 'many' });
    expect(Object.keys(withField({ kind: 'codel', limit: '1', ecn: true }, limit, '2'))).toEqual([
      'kind',
      'limit',
      'ecn',
    ]);
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

describe('tables in the text of a link', () => {
  it('are found where a form can change them, and where they could be added', () => {
    const found = tablesIn(LINK);
    expect(found?.tables.map(({ place, table, said }) => [place, table.key, said['kind']])).toEqual([
      ['both', 'queue', 'droptail'],
      ['up', 'queue', 'codel'],
      ['up', 'service', 'grants'],
    ]);
    expect(found?.absent.map(([place, { key }]) => `${place}.${key}`)).toEqual([
      'both.allocation',
      'both.arq',
      'both.light',
      'both.service',
      'up.allocation',
      'up.arq',
      'up.light',
    ]);
    expect(tablesIn('[both')).toBeNull();
  });

  it('change, and nothing else does', () => {
    const pie = { kind: 'pie', limit: '64 kB', ecn: true };
    expect(withTable(LINK, 'both', 'queue', pie)).toBe(
      LINK.replace(
        '{ kind = "droptail", limit = "50 packets" } # {as}',
        '{ kind = "pie", limit = "64 kB", ecn = true } # {as}',
      ),
    );
    expect(withTable(LINK, 'up', 'service', { kind: 'grants', cycle: '0.5 ms' })).toBe(
      LINK.replace('"1 ms"  ', '"0.5 ms"  '),
    );
    expect(withTable(LINK, 'down', 'queue', pie)).toBe(LINK);
  });

  it('come and go', () => {
    const arq = { send_buffer: '10 kB', receive_buffer: '', persistence: 'none' };
    const added = withTable(LINK, 'both', 'arq', arq);
    expect(added).toBe(
      LINK.replace(
        ' # {as} measured\n',
        ' # {as} measured\narq   = { send_buffer = "10 kB", receive_buffer = "", persistence = "none" }\n',
      ),
    );
    expect(withTable(added, 'both', 'arq', null)).toBe(LINK);
  });

  it('have what is wrong with them at their fields', () => {
    const problems = [
      { key: 'both.queue.minimum', message: 'a' },
      { key: 'both.queue', message: 'b' },
      { key: 'up.queue.limit', message: 'c' },
      { key: 'both.rate', message: 'd' },
      { message: 'e' },
    ];
    expect(tableProblems(problems, 'both', 'queue')).toEqual({ minimum: 'a', '': 'b' });
    expect(tableProblems(problems, null, 'queue')).toEqual({ minimum: 'a', '': 'b', limit: 'c' });
  });
});
