import { describe, expect, it } from 'vitest';

import { parsed } from '../../lib/toml-edit';
import { check, documentsOf } from './documents';
import { EMPTY, toText, withText, type Draft } from './draft';
import { withValue } from '../../lib/values';
import {
  claimsOver,
  detached,
  extending,
  inheritedFrom,
  layOver,
  NOTHING,
  ownChanges,
  sourceOf,
  withInherited,
} from './inherited';

const BASE = `title = "Base"
base = true
links = ["gprs", "edge"]
variants = ["sack", "newreno"]
workload = "bulk-100-kib-down"
repetitions = 30
assumptions = ["of the base"]
[tcp]
mss = "512 B"
delayed_ack = { kind = "every-second", timer = "200 ms" }
[[claim]]
metric = "elapsed_s"
left = "sack"
each = [{ id = "a", text = "A" }, { id = "b", text = "B" }]
`;
const NEARER = `title = "Nearer"
extends = "base"
repetitions = 10
assumptions = ["of the nearer"]
[tcp.timer]
minimum_rto = "1 s"
`;
const OWN = `# why
title   = "Mine"
extends = "nearer"
link    = "gprs"       # one is enough

[tcp]
mss = "1 kB"           # larger

[[claim]]
id = "b"
factor = 2
`;
const inherited = inheritedFrom([
  { name: 'nearer', table: parsed(NEARER) },
  { name: 'base', table: parsed(BASE) },
]);

function read(toml: string): Draft {
  const draft = withText(EMPTY, toml);
  if ('wrong' in draft) throw new Error(draft.wrong);
  return draft;
}

const draft = read(OWN);
const whole = withInherited(draft, inherited);

/** The text after changes that the form makes. */
function changed(changes: Partial<Draft>, of = draft): string {
  const next = { ...of, ...ownChanges(of, withInherited(of, inherited), changes) };
  const { title, links, workload } = withInherited(next, inherited);
  return toText(withInherited(next, inherited), { title: title ?? '', links, workload });
}

describe('what an experiment inherits', () => {
  it('is laid under what it says, as the rules of the keys are', () => {
    expect(inherited.table).toEqual({
      links: ['gprs', 'edge'],
      variants: ['sack', 'newreno'],
      workload: 'bulk-100-kib-down',
      repetitions: 10,
      assumptions: ['of the nearer', 'of the base'],
      tcp: {
        mss: '512 B',
        delayed_ack: { kind: 'every-second', timer: '200 ms' },
        timer: { minimum_rto: '1 s' },
      },
      claim: parsed(BASE)['claim'],
    });
    // The other of two keys that exclude each other goes; a table with a kind is replaced whole.
    const own = { link: 'edge', tcp: { delayed_ack: { kind: 'none' } } };
    expect(layOver(own, inherited.table)).toMatchObject({
      link: 'edge',
      tcp: { delayed_ack: { kind: 'none' } },
    });
    expect(layOver(own, inherited.table)['links']).toBeUndefined();
    expect(layOver(own, inherited.table)['tcp']).not.toHaveProperty('delayed_ack.timer');
  });

  it('is from the nearest that has it', () => {
    const from = (path: string) => sourceOf(inherited, path);
    expect([from('repetitions'), from('link'), from('tcp.mss'), from('tcp.timer.minimum_rto')]).toEqual([
      'nearer',
      'base',
      'base',
      'nearer',
    ]);
    expect([from('seed'), from('title'), from('base')]).toEqual([null, null, null]);
  });

  it('stands in the draft where that says nothing itself', () => {
    expect(whole.links).toEqual(['gprs']);
    expect(whole.variants).toEqual(['sack', 'newreno']);
    expect([whole.repetitions, whole.seed]).toEqual(['10', '1']);
    expect(draft.inherits).toEqual(['variants', 'live.variants', 'workload', 'flows', 'repetitions', 'seed']);
  });

  it('has claims, of which some are changed', () => {
    expect(claimsOver(draft.rest['claim'], inherited.table['claim'])).toMatchObject([
      { claim: { id: 'a', text: 'A', left: 'sack' }, own: null },
      { claim: { id: 'b', text: 'B', left: 'sack', factor: 2 }, own: 0 },
    ]);
    expect(claimsOver([{ id: 'c' }], undefined)).toEqual([{ claim: { id: 'c' }, inherited: null, own: 0 }]);
  });
});

describe('the text of an experiment that extends another', () => {
  it('stays as it is until something is changed', () => {
    expect(changed({})).toBe(OWN);
  });

  it('says what is changed, and nothing more', () => {
    expect(changed({ repetitions: '3' })).toBe(
      OWN.replace('# one is enough\n', '# one is enough\nrepetitions = 3\n'),
    );
    expect(parsed(changed({ variants: [...whole.variants, 'tahoe'] }))).toEqual({
      ...parsed(OWN),
      variants: ['sack', 'newreno', 'tahoe'],
    });
    expect(parsed(changed({ links: ['gprs', 'umts-3g'] }))['links']).toEqual(['gprs', 'umts-3g']);
  });

  it('says it no more when it is inherited again', () => {
    expect(changed({ inherits: ['link', ...draft.inherits] })).toBe(
      OWN.replace('link    = "gprs"       # one is enough\n', ''),
    );
    const rest = withValue(draft.rest, 'tcp.mss', undefined);
    expect(changed({ rest })).toBe(OWN.replace('[tcp]\nmss = "1 kB"           # larger\n', ''));
  });

  it('may extend another one, or none', () => {
    expect(changed(extending(draft, 'base'))).toBe(OWN.replace('"nearer"', '"base"'));
    const alone = { ...draft, ...extending(draft, null) };
    expect(parsed(toText(alone, { title: 'Mine', links: ['gprs'], workload: 'w' }))).not.toHaveProperty(
      'extends',
    );
    const all = { ...draft, ...detached(draft, whole, inherited) };
    const text = toText(all, { title: 'Mine', links: all.links, workload: all.workload });
    expect(parsed(text)).toMatchObject({
      link: 'gprs',
      variants: ['sack', 'newreno'],
      repetitions: 10,
      tcp: { mss: '1 kB', timer: { minimum_rto: '1 s' } },
    });
    expect(text).toContain('# one is enough');
    expect(parsed(text)).not.toHaveProperty('extends');
  });

  it('inherits, once it extends one, what nobody has chosen', () => {
    const fresh = { ...EMPTY, variants: ['tahoe'] };
    const now = { ...fresh, ...extending(fresh, 'base') };
    expect(now.inherits).toEqual(['link', 'live.variants', 'workload', 'flows', 'repetitions', 'seed']);
    const said = read('title = "t"\nlink = "gprs"\nvariants = ["sack"]\nworkload = "w"\nseed = 1\n');
    expect(extending(said, 'base').inherits).toEqual(['live.variants', 'flows', 'repetitions']);
  });

  it('may be a base, which leaves open what it likes', () => {
    const base = 'title = "b"\nbase = true\nrepetitions = 3\n';
    const shown = withInherited(read(base), NOTHING);
    expect([shown.links, shown.workload, shown.repetitions]).toEqual([[], '', '3']);
    expect(toText(shown, { title: 'b', links: [], workload: '' })).toBe(base);
    const existing = { links: new Map(), variants: new Map(), workloads: new Map(), experiments: new Map() };
    expect(check(shown, documentsOf(shown, existing), existing)).toEqual({ wrong: {}, missing: {} });
  });

  it('may have several workloads, or one in their place', () => {
    const text =
      'title = "t"\nlink = "gprs"\nvariants = ["sack"]\nworkloads = ["a", "b"]\nrepetitions = 1\nseed = 1\n';
    const several = read(text);
    expect([several.workload, several.rest['workloads']]).toEqual(['', ['a', 'b']]);
    const settled = { title: 't', links: ['gprs'], workload: 'c' };
    expect(toText(several, { ...settled, workload: '' })).toBe(text);
    expect(toText({ ...several, rest: {} }, settled)).toContain('\nworkload = "c"\n');
    const below = inheritedFrom([{ name: 's', table: parsed(text) }]);
    const mine = read('title = "t"\nextends = "s"\n');
    expect(withInherited(mine, below).workload).toBe('');
    expect(mine.inherits).toContain('workload');
    expect(sourceOf(below, 'workload')).toBe('s');
    expect(layOver({ workload: 'c' }, below.table)).not.toHaveProperty('workloads');
  });

  it('keeps variants in one list where commands are the workload', () => {
    const commands = inheritedFrom([
      {
        name: 'c',
        table: parsed('variants = ["linux"]\nworkload = { kind = "command", client = ["true"] }\n'),
      },
    ]);
    const mine = read('title = "t"\nextends = "c"\n');
    const shown = withInherited(mine, commands);
    expect([shown.variants, shown.live]).toEqual([[], ['linux']]);
    const next = { ...mine, ...ownChanges(mine, shown, { live: ['linux', 'linux@patched'] }) };
    const { links, workload } = shown;
    expect(parsed(toText(withInherited(next, commands), { title: 't', links, workload }))).toEqual({
      title: 't',
      extends: 'c',
      variants: ['linux', 'linux@patched'],
    });
  });
});
