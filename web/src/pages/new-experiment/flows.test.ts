import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import {
  fieldsOf,
  FRESH_WORKLOAD,
  freshSet,
  keyAt,
  ofKind,
  SET_FIELDS,
  SET_KINDS,
  setInWords,
  transferOf,
  withSaid,
  workloadOf,
  workloadText,
  type FlowSet,
  type OwnWorkload,
} from './flows';

const PROFILES = new URL('../../../../profiles/', import.meta.url);

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly $defs: {
    readonly TrafficFile: { readonly properties: Readonly<Record<string, unknown>> };
    readonly WorkloadKind: { readonly oneOf: readonly { readonly const: string }[] };
  };
}

function workload(...sets: readonly FlowSet[]): OwnWorkload {
  return { ...FRESH_WORKLOAD, sets };
}

describe('the form of a workload', () => {
  const schema = JSON.parse(readFileSync(new URL('../schema/workload.json', PROFILES), 'utf8')) as Schema;
  // Commands are no set of flows: they have fields of their own.
  const ofCommands = ['client', 'server', 'port'];
  const fields = [...SET_FIELDS.map(({ key }) => key), ...ofCommands, 'kind', 'direction'].sort();

  it('has every key of a set or of commands, and no other', () => {
    expect(Object.keys(schema.$defs.TrafficFile.properties).sort()).toEqual(fields);
    const whole = ['title', 'description', 'source', 'beside'];
    expect(Object.keys(schema.properties).sort()).toEqual([...fields, ...whole].sort());
  });

  it('has every kind, and no other', () => {
    expect([...SET_KINDS.map(({ value }) => value), 'command'].sort()).toEqual(
      schema.$defs.WorkloadKind.oneOf.map((one) => one.const).sort(),
    );
  });
});

describe('the text of a workload', () => {
  const SHIPPED = new URL('workloads/', PROFILES);

  it.each(readdirSync(SHIPPED))('%s says the same after it went through the form', (name) => {
    const toml = readFileSync(new URL(name, SHIPPED), 'utf8');
    const own = workloadOf(toml);
    if (!own) throw new Error('the form cannot show it');
    expect(parse(workloadText(own.title ?? '', own))).toEqual(parse(toml));
  });

  it('is not taken for less than it says', () => {
    const fine = 'title = "t"\nkind = "bulk"\nsize = "1 MB"\ndirection = "down"\n';
    expect(workloadOf(fine)).not.toBeNull();
    for (const more of [
      'other = 1\n',
      'flows = [1]\n',
      'beside = 3\n',
      '[[beside]]\nkind = "bulky"\n',
      '= =',
    ])
      expect(workloadOf(fine + more)).toBeNull();
  });

  it('keeps what is no number as text, for the engine to say what is wrong', () => {
    const text = workloadText('t', workload(withSaid(freshSet('bulk'), 'flows', 'two')));
    expect(parse(text)).toMatchObject({ flows: 'two' });
  });
});

describe('a set', () => {
  it('keeps what both kinds have when it becomes another', () => {
    const bulk: FlowSet = {
      kind: 'bulk',
      direction: 'up',
      said: { duration: '9 s', flows: '3', start: '1 s' },
    };
    const requests = ofKind(bulk, 'requests');
    expect(requests).toMatchObject({
      kind: 'requests',
      direction: 'up',
      said: { flows: '3', start: '1 s', size: '20 kB' },
    });
    expect(requests.said).not.toHaveProperty('duration');
    expect(ofKind(requests, 'constant-rate').said).toEqual({
      rate: '64 kbit/s',
      packet: '200 B',
      start: '1 s',
    });
    expect(ofKind(bulk, 'bulk')).toBe(bulk);
  });

  it('has the fields of its kind, and a TCP of its own beside others alone', () => {
    const keys = (set: FlowSet, first: boolean) => fieldsOf(set, first).map(({ key }) => key);
    expect(keys(freshSet('bulk'), true)).toEqual(['size', 'flows', 'start', 'gap']);
    expect(keys(freshSet('bulk'), false)).toContain('variant');
    expect(keys(withSaid(freshSet('bulk'), 'duration', '30 s'), true)).not.toContain('size');
    expect(keys(freshSet('constant-rate'), false)).toEqual(['rate', 'packet', 'start']);
  });

  it('is told in words', () => {
    expect(setInWords(freshSet('bulk'))).toBe('100 KiB down');
    expect(setInWords(withSaid(freshSet('bulk', 'up'), 'flows', '3'))).toBe('3 flows of 100 KiB up');
    expect(setInWords({ kind: 'bulk', direction: 'up', said: { duration: '30 s', start: '1 s' } })).toBe(
      'a flow up for 30 s from 1 s',
    );
    expect(setInWords(freshSet('requests'))).toBe('20 responses of 20 kB down');
    expect(setInWords(freshSet('constant-rate'))).toBe('64 kbit/s of packets down');
  });

  it('is called by the key that the engine calls it by', () => {
    expect(keyAt(0, 'size')).toBe('size');
    expect(keyAt(2, 'size')).toBe('beside[1].size');
  });
});

describe('one transfer', () => {
  it('is one set of one flow with a size, from the start', () => {
    expect(transferOf(workload(freshSet('bulk', 'up')))).toEqual({ octets: 102_400, way: 'up' });
    for (const set of [
      freshSet('requests'),
      withSaid(freshSet('bulk'), 'flows', '2'),
      withSaid(freshSet('bulk'), 'start', '0.5 s'),
      withSaid(freshSet('bulk'), 'duration', '9 s'),
      withSaid(freshSet('bulk'), 'size', '100'),
    ])
      expect(transferOf(workload(set))).toBeNull();
    expect(transferOf(workload(freshSet('bulk'), freshSet('constant-rate')))).toBeNull();
  });
});
