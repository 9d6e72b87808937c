import { readdirSync, readFileSync } from 'node:fs';
import { stringify, type TomlTable, type TomlValue } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { ns } from '../../lib/brand';
import { type ScriptEvent } from '../../link/script';
import { commandLines } from './command';
import { claimsOf, EMPTY, toText, withText, type Draft } from './draft';
import { valueAt, withValue } from '../../lib/values';
import { FRESH_WORKLOAD, freshSet, withSaid } from './flows';
import { freeName } from '../../lib/free-name';
import { nameProblem } from '../../lib/document-name';
import { isRecord } from '../../lib/json';
import { parsed } from '../../lib/toml-edit';
import { detached, inheritedFrom, layOver, withInherited, type Layer } from './inherited';
import { check, documentsOf, type Existing } from './documents';
import { isAt, messageAt } from '../../api/problems';

const SHIPPED = new URL('../../../../profiles/experiments/', import.meta.url);

const existing: Existing = {
  links: new Map([
    ['gprs', 'GPRS, as early users had it'],
    ['edge', 'EDGE'],
  ]),
  variants: new Map([
    ['sack', 'SACK'],
    ['frto+sack', 'F-RTO with SACK'],
    ['linux', 'Linux'],
  ]),
  workloads: new Map([['bulk-100-kib-down', '100 KiB']]),
  experiments: new Map([['try-gprs', 'an old one']]),
};
const hold: ScriptEvent = { id: 1, kind: 'hold', on: 'both', at: ns(10e9), length: ns(3e9), value: null };
const draft: Draft = { ...EMPTY, links: ['gprs'], variants: ['sack', 'frto+sack'], events: [hold] };

const own = { ...FRESH_WORKLOAD, sets: [withSaid(freshSet('bulk', 'up'), 'size', '64 KiB')] };

function read(toml: string): Draft {
  const result = withText(EMPTY, toml);
  if ('wrong' in result) throw new Error(result.wrong);
  return result;
}

/** A shipped experiment with all that it has from those that it extends, as docs/files.md says. */
function whole(name: string): TomlTable {
  const own = parsed(readFileSync(new URL(name, SHIPPED), 'utf8'));
  const extended = own['extends'];
  delete own['extends'];
  delete own['base'];
  if (typeof extended !== 'string') return own;
  const base = whole(`${extended}.toml`);
  const list = (table: TomlTable, key: string) => (table[key] ?? []) as TomlValue[];
  const lists = {
    assumptions: [...list(own, 'assumptions'), ...list(base, 'assumptions')],
    claim: [...list(base, 'claim'), ...list(own, 'claim')],
  };
  return tablesOver(
    { ...own, ...Object.fromEntries(Object.entries(lists).filter(([, of]) => of.length > 0)) },
    base,
  );
}

function tablesOver(own: TomlTable, base: TomlTable): TomlTable {
  const merged = { ...base, ...own };
  for (const [key, value] of Object.entries(own)) {
    const other = base[key];
    if (isRecord(value) && isRecord(other) && !('kind' in (value as TomlTable)))
      merged[key] = tablesOver(value as TomlTable, other as TomlTable);
  }
  return merged;
}

/** The shipped experiments that one extends, the nearest first. */
function extendedBy(name: string): Layer[] {
  const table = parsed(readFileSync(new URL(`${name}.toml`, SHIPPED), 'utf8'));
  const next = table['extends'];
  return [{ name, table }, ...(typeof next === 'string' ? extendedBy(next) : [])];
}

describe('the text of an experiment', () => {
  const files = readdirSync(SHIPPED, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.toml') && parsed(readFileSync(new URL(name, SHIPPED), 'utf8'))['base'] !== true,
  );

  it.each(files)('%s says the same after it went through the form', (name) => {
    const toml = stringify(whole(name));
    const copy = read(toml);
    const text = toText(copy, { title: copy.title ?? '', links: copy.links, workload: copy.workload });
    const before = parsed(toml);
    expect(parsed(text)).toEqual({ seed: 1, repetitions: 1, ...before });
  });

  it.each(files)('%s stays as it is written, if it extends another', (name) => {
    const toml = readFileSync(new URL(name, SHIPPED), 'utf8');
    const draft = read(toml);
    if (draft.extends === null) return;
    const layers = extendedBy(draft.extends);
    const inherited = inheritedFrom(layers);
    const claims = claimsOf(whole(name)['claim']);
    expect(claimsOf(layOver(draft.rest, inherited.table)['claim'])).toEqual(claims);
    const shown = withInherited(draft, inherited);
    const text = (changes: Partial<Draft>) =>
      toText(
        { ...shown, ...changes },
        { title: shown.title ?? '', links: shown.links, workload: shown.workload },
      );
    expect(text({})).toBe(toml);
    const all = detached(draft, shown, inherited);
    const told = parsed(text(all));
    expect(claimsOf(told['claim'])).toEqual(claims);
    expect({ ...told, claim: [] }).toEqual({ seed: 1, ...whole(name), claim: [] });
  });

  it('keeps seeds that a number of JavaScript cannot hold', () => {
    const text = toText(
      { ...draft, seed: '9007199254740993' },
      { title: 't', links: ['gprs'], workload: 'w' },
    );
    expect(text).toContain('seed = 9007199254740993\n');
    expect(read(text).seed).toBe('9007199254740993');
  });

  it('writes a seed above the numbers of TOML as a text, and reads it back', () => {
    for (const [seed, line] of [
      ['9223372036854775807', 'seed = 9223372036854775807\n'],
      ['9223372036854775808', 'seed = "9223372036854775808"\n'],
      ['18446744073709551615', 'seed = "18446744073709551615"\n'],
    ]) {
      const text = toText({ ...draft, seed }, { title: 't', links: ['gprs'], workload: 'w' });
      expect(text).toContain(line);
      expect(read(text).seed).toBe(seed);
    }
  });

  it('has numbers of flows as they are typed, right or wrong', () => {
    const written = (flows: string) =>
      parsed(toText({ ...draft, flows }, { title: 't', links: ['gprs', 'edge'], workload: 'w' }))['flows'];
    expect(written('20,40')).toEqual([20, 40]);
    expect(written('20, many')).toEqual([20, 'many']);
    expect(written(' ')).toBeUndefined();
    expect(read('title = "t"\nflows = [20, 40]\n').flows).toBe('20, 40');
  });

  it('says where it cannot be read', () => {
    expect(withText(EMPTY, 'title = ')).toHaveProperty('wrong');
  });
});

describe('claims', () => {
  it('that each writes together are one by one, as the engine numbers them', () => {
    const claims = parsed(`[[claim]]
id = "a"
left = "sack"
[[claim]]
metric = "elapsed_s"
left = "sack"
each = [{ id = "b" }, { id = "c", left = "newreno" }]
[[claim]]
id = "d"
each = []
`)['claim'];
    expect(claimsOf(claims)).toEqual([
      { id: 'a', left: 'sack' },
      { id: 'b', metric: 'elapsed_s', left: 'sack' },
      { id: 'c', metric: 'elapsed_s', left: 'newreno' },
      { id: 'd', each: [] },
    ]);
    expect(claimsOf(undefined)).toEqual([]);
  });
});

describe('values at paths of keys', () => {
  it('are set, read, and taken away with what is empty then', () => {
    const table = withValue({ a: 1 }, 'tcp.timer.minimum_rto', '200 ms');
    expect(valueAt(table, 'tcp.timer.minimum_rto')).toBe('200 ms');
    expect(valueAt(table, 'a.b')).toBeUndefined();
    expect(withValue(table, 'tcp.timer.minimum_rto', undefined)).toEqual({ a: 1 });
  });
});

describe('settling a draft', () => {
  it('makes a link of what is drawn, and names both', () => {
    const outcome = documentsOf(draft, existing);
    expect(outcome.link?.name).toBe('gprs-hold-3s-at-10s');
    expect(parsed(outcome.link?.toml ?? '')).toMatchObject({
      extends: 'gprs',
      script: [{ at: '10 s', for: '3 s' }],
    });
    expect(parsed(outcome.experiment.toml)).toMatchObject({
      title: 'SACK and F-RTO with SACK on gprs with a 3 s hold at 10 s',
      link: 'gprs-hold-3s-at-10s',
      repetitions: 10,
    });
  });

  it('uses links as they are where nothing is drawn, or there are several', () => {
    expect(documentsOf({ ...draft, events: [] }, existing)).toMatchObject({
      link: null,
      experiment: { name: 'try-gprs-2' },
    });
    const several = documentsOf({ ...draft, links: ['gprs', 'edge'] }, existing);
    expect(several.link).toBeNull();
    expect(parsed(several.experiment.toml)).toMatchObject({ links: ['gprs', 'edge'] });
  });

  it('takes a scenario for a link, and names after its values what comes of it', () => {
    const scenario = 'simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25';
    const plain = documentsOf({ ...draft, links: [scenario], events: [] }, existing);
    expect(parsed(plain.experiment.toml)['link']).toBe(scenario);
    expect(plain.experiment.name).toBe('try-simple-p2p-15ms-10mbps-25');
    const drawn = documentsOf({ ...draft, links: [scenario] }, existing);
    expect(drawn.link?.name).toBe('simple-p2p-15ms-10mbps-25-hold-3s-at-10s');
    expect(parsed(drawn.link?.toml ?? '')['extends']).toBe(scenario);
    expect(check(draft, drawn, existing).wrong).toEqual({});
  });

  it('keeps what a link replays, until a link is chosen', () => {
    const link = { fates: 'fates.csv', by: 'time' };
    const shown = read(stringify({ title: 't', link, variants: ['sack'], workload: 'w' }));
    const kept = parsed(toText(shown, { title: 't', links: shown.links, workload: 'w' }));
    expect(kept['link']).toEqual(link);
    expect(check(shown, documentsOf(shown, existing), existing).missing).not.toHaveProperty('link');
    const chosen = parsed(toText(shown, { title: 't', links: ['gprs'], workload: 'w' }));
    expect(chosen['link']).toBe('gprs');
  });

  it('keeps commands that stand in the experiment, and its other own workloads', () => {
    const toml = (workload: string) =>
      `title = "t"\nlink = "gprs"\nvariants = ["linux"]\nworkload = ${workload}\n`;
    const table = '{ kind = "command", client = ["sh", "-c", "exit 3"], port = 80 }';
    const read = withText(EMPTY, toml(table));
    if ('wrong' in read) throw new Error(read.wrong);
    expect(read.commands).toEqual({ client: "sh -c 'exit 3'", server: '', port: '80' });
    const text = toText(read, { title: 't', links: ['gprs'], workload: read.workload });
    expect([read.variants, read.live, parsed(text)['variants']]).toEqual([[], ['linux'], ['linux']]);
    expect(parsed(text)['workload']).toEqual({ kind: 'command', client: ['sh', '-c', 'exit 3'], port: 80 });
    const bulk = withText(EMPTY, toml('{ kind = "bulk", size = "9 kB", direction = "up" }'));
    if ('wrong' in bulk) throw new Error(bulk.wrong);
    expect(bulk.ownWorkload?.sets).toEqual([{ kind: 'bulk', direction: 'up', said: { size: '9 kB' } }]);
  });

  it('makes a workload of its sets', () => {
    const { workload } = documentsOf({ ...draft, ownWorkload: own }, existing);
    expect(workload?.name).toBe('bulk-64-kib-up');
    expect(parsed(workload?.toml ?? '')).toEqual({
      title: '64 KiB up',
      kind: 'bulk',
      size: '64 KiB',
      direction: 'up',
    });
    const several = { ...own, sets: [withSaid(own.sets[0], 'flows', '3'), freshSet('constant-rate')] };
    const outcome = documentsOf({ ...draft, ownWorkload: several }, existing).workload;
    expect(outcome?.name).toBe('3-bulk-64-kib-up-and-1-more');
    expect(parsed(outcome?.toml ?? '')).toMatchObject({
      title: '3 flows of 64 KiB up, beside 64 kbit/s of packets down',
      flows: 3,
      beside: [{ kind: 'constant-rate', packet: '200 B' }],
    });
    const named = documentsOf(
      { ...draft, ownWorkload: { ...own, name: 'mine', title: 'Mine' } },
      existing,
    ).workload;
    expect(named?.name).toBe('mine');
    expect(named?.toml).toContain('title = "Mine"');
  });

  it('keeps the name under which it was saved before', () => {
    const made = { link: { name: 'gprs-hold-3s-at-10s', toml: '', revision: 1 } };
    const there = { ...existing, links: new Map([...existing.links, ['gprs-hold-3s-at-10s', '']]) };
    expect(documentsOf(draft, there).link?.name).toBe('gprs-hold-3s-at-10s-2');
    expect(documentsOf({ ...draft, made }, there).link?.name).toBe('gprs-hold-3s-at-10s');
  });
});

describe('checks', () => {
  const errors = (more: Partial<Draft>) => {
    const changed = { ...draft, ...more };
    return check(changed, documentsOf(changed, existing), existing);
  };

  it('finds nothing wrong with what is right', () => {
    expect(errors({})).toEqual({ wrong: {}, missing: {} });
  });

  it('names the field', () => {
    expect(errors({ links: [] }).missing).toHaveProperty('link');
    expect(errors({ variants: [], live: ['linux'] }).missing.variants).toMatch(/one of ours/);
    for (const repetitions of ['', '0', '1.5', '100001', 'ten'])
      expect(errors({ repetitions }).wrong).toHaveProperty('repetitions');
    expect(errors({ seed: '-1' }).wrong).toHaveProperty('seed');
    expect(errors({ seed: '18446744073709551616' }).wrong.seed).toMatch(/At most/);
    expect(errors({ ownWorkload: { ...own, name: 'bulk-100-kib-down' } }).wrong.workloadName).toMatch(
      /already/,
    );
    const several = { ...own, sets: [...own.sets, freshSet('requests')] };
    expect(errors({ ownWorkload: several }).wrong).toEqual({});
    expect(errors({ ownWorkload: several, testbed: 'kernel' }).wrong).toEqual({});
    const crossed = { ...own, sets: [...own.sets, freshSet('constant-rate')] };
    expect(errors({ ownWorkload: crossed }).wrong).toEqual({});
    expect(errors({ ownWorkload: crossed, testbed: 'kernel' }).wrong.workload).toBeUndefined();
    expect(errors({ ownWorkload: own, testbed: 'netns' }).wrong).toEqual({});
    expect(errors({ name: 'My Try' }).wrong.name).toMatch(/Lower-case/);
    expect(errors({ name: 'try-gprs' }).wrong.name).toMatch(/already/);
    expect(errors({ linkName: 'edge' }).wrong).toHaveProperty('linkName');
    expect(errors({ title: ' ' }).wrong).toHaveProperty('title');
  });

  it('knows names', () => {
    expect(nameProblem('papers/mine-1')).toBeNull();
    for (const name of ['', '/a', 'a/', 'a b', 'A', '-a', 'a'.repeat(201)])
      expect(nameProblem(name)).not.toBeNull();
    expect(freeName('a', new Set(['a', 'a-2']))).toBe('a-3');
  });

  it('finds the problems of a key', () => {
    expect(isAt('tcp.mss', 'tcp')).toBe(true);
    expect(isAt('claim[0].left', 'claim[0]')).toBe(true);
    expect(isAt('tcpx', 'tcp')).toBe(false);
    expect(messageAt([{ key: 'seed', message: 'too high' }], 'seed')).toBe('too high');
  });
});

describe('the command line', () => {
  it('writes every file that is new, and runs them', () => {
    const made: Draft = { ...draft, ownWorkload: own, captures: false };
    const lines = commandLines(made, documentsOf(made, existing), []);
    expect(lines).toContain('link = "link.toml"');
    expect(lines).toContain('workload = "workload.toml"');
    expect(lines.match(/<<'END'/g)).toHaveLength(3);
    expect(lines.endsWith('windlull run experiment.toml --no-pcap')).toBe(true);
  });
});
