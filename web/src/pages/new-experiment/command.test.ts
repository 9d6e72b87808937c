import { describe, expect, it } from 'vitest';

import { commandLines } from './command';
import { EMPTY } from './draft';
import type { OwnFile } from '../../parts/own-files';

const experiment = { name: 'mine/late', toml: 'link = "mine/spike"\nvariants = ["sack"]\n' };
const outcome = { title: '', link: null, workload: null, experiment };

describe('commandLines', () => {
  it('names what is shipped, and runs', () => {
    const lines = commandLines(EMPTY, outcome, []).split('\n');
    expect(lines.at(0)).toBe('mkdir -p mine-late && cd mine-late');
    expect(lines).toContain('link = "mine/spike"');
    expect(lines.at(-1)).toMatch(/^windlull run experiment\.toml/);
  });

  it('writes the files of one’s own that are named, and those that they build on', () => {
    const own: readonly OwnFile[] = [
      { kind: 'link', name: 'mine/spike', toml: 'extends = "base"\n' },
      { kind: 'link', name: 'base', toml: 'extends = "gprs"\n' },
    ];
    const text = commandLines(EMPTY, outcome, own);
    expect(text).toContain('cat > mine-spike.toml <<\'END\'\nextends = "base.toml"\nEND');
    expect(text).toContain('cat > base.toml <<\'END\'\nextends = "gprs"\nEND');
    expect(text).toContain('link = "mine-spike.toml"');
  });

  it('puts paths at every place of a name, and at no other', () => {
    const own: readonly OwnFile[] = [
      { kind: 'link', name: 'mine', toml: 'title = "mine"\nextends = "gprs"\n' },
      { kind: 'variant', name: 'mine', toml: 'extends = "sack"\n' },
      { kind: 'workload', name: 'two', toml: 'title = "two"\n[[beside]]\nvariant = "mine"\n' },
    ];
    const toml =
      'title = "mine"\nlinks = [\n  "gprs",\n  "mine",\n]\naccess = "mine"\nvariants = ["sack", "mine"]\n' +
      'workload = "two"\n[live]\nvariants = ["linux@mine", "mine@patched"]\n';
    const text = commandLines(
      { ...EMPTY, testbed: 'kernel', plane: 'netem' },
      { ...outcome, experiment: { name: 'e', toml } },
      own,
    );
    expect(text).toContain(
      'title = "mine"\nlinks = [\n  "gprs",\n  "link-mine.toml",\n]\naccess = "link-mine.toml"\n' +
        'variants = ["sack", "variant-mine.toml"]\nworkload = "two.toml"\n[live]\n' +
        'variants = ["linux@mine", "variant-mine.toml@patched"]\n',
    );
    expect(text).toContain(
      'cat > two.toml <<\'END\'\ntitle = "two"\n[[beside]]\nvariant = "variant-mine.toml"\nEND',
    );
    expect(text.endsWith('windlull run experiment.toml --testbed kernel --plane netem')).toBe(true);
  });
});
