import { describe, expect, it } from 'vitest';

import { differences, exportLines } from './tc-script';

describe('differences', () => {
  it('are what stands under the heading', () => {
    const script = [
      '#!/bin/sh',
      '# - not one',
      '# Where this link differs from the model:',
      '# - The queue stands elsewhere.',
      '# - Losses cannot be seeded.',
      '',
      '# - not one either',
    ].join('\n');
    expect(differences(script)).toEqual(['The queue stands elsewhere.', 'Losses cannot be seeded.']);
  });

  it('are none where the script names none', () => {
    expect(differences('#!/bin/sh\nset -eu\n')).toEqual([]);
  });
});

describe('exportLines', () => {
  const asked = { seed: '1', seconds: 60, out: 'x.sh' };

  it('names a link that is shipped', () => {
    expect(exportLines({ name: 'gprs', toml: '', origin: 'shipped' }, [], asked)).toBe(
      "windlull export --format tc --seed 1 --for '60 s' gprs --out x.sh",
    );
  });

  it('writes one of the user’s own, and those of them that it builds on', () => {
    const own = [{ kind: 'link', name: 'mine/base', toml: 'extends = "gprs"\n' } as const];
    const link = { name: 'mine/late', toml: 'extends = "mine/base"\n', origin: 'own' } as const;
    expect(exportLines(link, own, asked).split('\n')).toEqual([
      'mkdir -p mine-late && cd mine-late',
      "cat > mine-base.toml <<'END'",
      'extends = "gprs"',
      'END',
      "cat > link.toml <<'END'",
      'extends = "mine-base.toml"',
      'END',
      "windlull export --format tc --seed 1 --for '60 s' link.toml --out x.sh",
    ]);
  });
});
