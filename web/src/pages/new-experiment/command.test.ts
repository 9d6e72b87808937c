import { describe, expect, it } from 'vitest';

import { commandLines } from './command';
import { EMPTY } from './draft';

const experiment = { name: 'mine/late', toml: 'link = "mine/spike"\nvariants = ["sack"]\n' };
const outcome = { title: '', link: null, workload: null, experiment, checkable: experiment.toml };

describe('commandLines', () => {
  it('names what is shipped, and runs', () => {
    const lines = commandLines(EMPTY, outcome, []).split('\n');
    expect(lines.at(0)).toBe('mkdir -p mine-late && cd mine-late');
    expect(lines).toContain('link = "mine/spike"');
    expect(lines.at(-1)).toMatch(/^windlull run experiment\.toml/);
  });

  it('writes the files of one’s own that are named, and those that they build on', () => {
    const own = [
      { name: 'mine/spike', toml: 'extends = "base"\n' },
      { name: 'base', toml: 'extends = "gprs"\n' },
    ];
    const text = commandLines(EMPTY, outcome, own);
    expect(text).toContain('cat > mine-spike.toml <<\'END\'\nextends = "base.toml"\nEND');
    expect(text).toContain('cat > base.toml <<\'END\'\nextends = "gprs"\nEND');
    expect(text).toContain('link = "mine-spike.toml"');
  });
});
