import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { heredoc, writing } from './shell';

const FILES = [
  { path: 'experiments/mine/late.toml', text: 'title = "Late: $HOME `id` \\"x\\""\nlink = "mine/late"\n' },
  { path: 'links/mine/late.toml', text: 'extends = "gprs"\nEND\nEND_\n' },
  { path: "links/it's mine.csv", text: '1;2\n' },
];

describe('files written by a shell', () => {
  it('are what they were, whatever stands in them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlull-shell-'));
    try {
      execFileSync('sh', ['-eu'], { cwd: folder, input: writing('batch-7', FILES).join('\n') });
      for (const { path, text } of FILES) {
        expect(readFileSync(join(folder, 'batch-7', path), 'utf8')).toBe(text);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('end with a word that is no line of theirs', () => {
    expect(heredoc('a.toml', 'x = 1\n')).toEqual(["cat > a.toml <<'END'", 'x = 1', 'END']);
    expect(heredoc('a.toml', 'END\n').at(-1)).toBe('END_');
  });
});
