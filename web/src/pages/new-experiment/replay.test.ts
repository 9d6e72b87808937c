import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { commandLines } from './command';
import { check, documentsOf, type Existing } from './documents';
import { EMPTY } from './draft';
import { withInherited, inheritedFrom } from './inherited';
import { type Replayed, replayIn, replaying } from './replay';

const TOML = 'title = "What the packets of run 12 met, by time"\n[replay]\nby = "time"\ncsv = "rows"\n';
const EXPERIMENT = `# of ours
title = "Of the run"
description = "long ago"
link = "gprs"
variants = ["sack", "frto+sack"]
workload = "bulk-100-kib-down"
repetitions = 30
seed = 3
time_limit = "2 min"

[tcp]
mss = "512 B"

[[claim]]
id = "a"
metric = "elapsed_s"
`;

const said: Replayed = {
  run: 12,
  by: 'time',
  name: 'replay-of-run-12-by-time',
  title: 'What the packets of run 12 met, by time',
  toml: TOML,
  experiment: EXPERIMENT,
  workload: 'bulk-100-kib-down',
  variant: 'sack',
  testbed: 'sim',
  seed: '18446744073709551615',
};

const existing: Existing = {
  links: new Map([['gprs', 'GPRS']]),
  variants: new Map([
    ['sack', 'SACK'],
    ['frto+sack', 'F-RTO with SACK'],
  ]),
  workloads: new Map([['bulk-100-kib-down', '100 KiB']]),
  experiments: new Map(),
};

describe('the replay that an address asks for', () => {
  const of = (address: string) => replayIn(new URLSearchParams(address));

  it('is of a run, by packet unless it says how', () => {
    expect(of('replay=12&by=octets')).toEqual({ run: 12, by: 'octets' });
    expect(of('replay=12')).toEqual({ run: 12, by: 'packet' });
    expect(of('replay=12&by=luck')).toEqual({ run: 12, by: 'packet' });
  });

  it('is none without the number of one', () => {
    for (const address of ['', 'replay=', 'replay=0', 'replay=1.5', 'replay=x'])
      expect(of(address)).toBeNull();
  });
});

describe('the experiment that replays a run', () => {
  const draft = replaying(said);
  const outcome = documentsOf(draft, existing, said);

  it('has the variants, the workload and the settings of the run’s own, once, from the same seed', () => {
    expect(parse(outcome.experiment.toml, { integersAsBigInt: true })).toEqual({
      title: 'SACK and F-RTO with SACK on what the packets of run 12 met',
      link: said.name,
      variants: ['sack', 'frto+sack'],
      workload: 'bulk-100-kib-down',
      repetitions: 1n,
      seed: said.seed,
      time_limit: '2 min',
      tcp: { mss: '512 B' },
    });
    expect(outcome.experiment.name).toBe('replay-of-run-12');
  });

  it('is saved with the link that has the rows, and nothing of it is missing', () => {
    expect(outcome.link).toEqual({ name: said.name, toml: TOML });
    expect(check(draft, outcome, existing)).toEqual({ wrong: {}, missing: {} });
  });

  it('takes the link that was saved before, and another name where something else has its own', () => {
    const withLink = (title: string): Existing => ({ ...existing, links: new Map([[said.name, title]]) });
    const again = documentsOf(draft, withLink(said.title), said);
    expect(again.link).toBeNull();
    expect(parse(again.experiment.toml)['link']).toBe(said.name);
    const other = documentsOf(draft, withLink('something else'), said);
    expect(other.link?.name).toBe(`${said.name}-2`);
    expect(parse(other.experiment.toml)['link']).toBe(`${said.name}-2`);
  });

  it('waits for what the run’s packets met', () => {
    expect(documentsOf(draft, existing, null)).toMatchObject({ link: null });
    expect(documentsOf(draft, existing, null).replay).toBeUndefined();
  });

  it('is on another link once one is chosen', () => {
    const chosen = documentsOf({ ...draft, replay: null, links: ['gprs'] }, existing, null);
    expect(parse(chosen.experiment.toml)['link']).toBe('gprs');
  });

  it('takes the workload that the run had, of several', () => {
    const several = EXPERIMENT.replace(/^workload.*$/m, 'workloads = ["small", "large"]');
    const toml = documentsOf(replaying({ ...said, experiment: several, workload: 'large' }), existing, said)
      .experiment.toml;
    expect(parse(toml)).toMatchObject({ workload: 'large' });
    expect(parse(toml)).not.toHaveProperty('workloads');
  });

  it('inherits what the run’s own did, but for the link', () => {
    const extending = replaying({ ...said, experiment: 'title = "t"\nextends = "base"\n' });
    expect(extending.inherits).toContain('variants');
    for (const key of ['link', 'flows', 'repetitions', 'seed']) expect(extending.inherits).not.toContain(key);
    const base = { links: ['a', 'b'], variants: ['sack'], workload: 'w', repetitions: 30 };
    const whole = withInherited(extending, inheritedFrom([{ name: 'base', table: base }]));
    expect(parse(documentsOf(whole, existing, said).experiment.toml)).toMatchObject({
      extends: 'base',
      link: said.name,
      repetitions: 1,
    });
    expect(whole.variants).toEqual(['sack']);
  });

  it('is simulated, unless the run was of a kernel in virtual time', () => {
    expect(replaying({ ...said, testbed: 'netns' }).testbed).toBe('sim');
    expect(replaying({ ...said, testbed: 'kernel' }).testbed).toBe('kernel');
  });

  it('begins empty but for the workload where the text of the run’s own cannot be read', () => {
    const unread = replaying({ ...said, experiment: '', workload: 'mine' });
    expect(unread).toMatchObject({
      ...EMPTY,
      workload: 'mine',
      replay: { run: 12, by: 'time' },
      repetitions: '1',
      seed: said.seed,
    });
    expect(replaying({ ...said, experiment: 'title = [', workload: 'mine' }).workload).toBe('mine');
  });

  it('is run in a shell on the run’s capsule, without a row in the command', () => {
    const text = commandLines(draft, outcome, [{ kind: 'link', name: said.name, toml: TOML }]);
    expect(text).toContain('run-12.capsule.zip');
    expect(text).toContain('[replay]\nfates = "run-12.capsule.zip"\nby = "time"\n');
    expect(text).toContain('link = "link.toml"');
    expect(text).not.toContain('rows');
  });
});
