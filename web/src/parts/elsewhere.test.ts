import { describe, expect, it } from 'vitest';

import { elsewhereOf, inShell } from './elsewhere';

const file = (text: string) => ({ path: 'experiments/mine/late.toml', text });

describe('a command elsewhere', () => {
  it('writes the files of an experiment of one’s own, and finds it by its name', () => {
    expect(inShell(elsewhereOf(7, [file('link = "mine/late"\n')]), 'windlull run mine/late')).toBe(
      [
        'mkdir -p batch-7/experiments/mine',
        "cat > batch-7/experiments/mine/late.toml <<'END'",
        'link = "mine/late"',
        'END',
        'WINDLULL_PROFILES=batch-7 windlull run mine/late',
      ].join('\n'),
    );
  });

  it('says where files belong that are too long to paste, or gone', () => {
    for (const files of [[], [file('#'.repeat(100_001))]]) {
      const needed = elsewhereOf(7, files);
      expect(needed.byHand).toBe(true);
      expect(inShell(needed, 'windlull run x')).toBe('WINDLULL_PROFILES=profiles windlull run x');
    }
  });

  it('is the command alone for one that is shipped', () => {
    const shipped = { before: [], environment: null, byHand: false };
    expect(inShell(shipped, 'windlull run first-look')).toBe('windlull run first-look');
  });
});
