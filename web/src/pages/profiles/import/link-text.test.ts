import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import { linkText, upTo, type LinkDraft } from './link-text';

const DRAFT: LinkDraft = {
  title: 'A "drive"',
  source: 'drive.down\\x',
  recordings: { down: null, up: null },
  rate: '1 Mbit/s',
  delay: '50 ms',
  queue: { kind: 'droptail', limit: '100 packets' },
};

describe('linkText', () => {
  it('takes from fields what no file gives', () => {
    expect(parse(linkText(DRAFT))).toEqual({
      title: 'A "drive"',
      source: 'drive.down\\x',
      both: { queue: { kind: 'droptail', limit: '100 packets' } },
      down: { delay: '50 ms', rate: '1 Mbit/s' },
      up: { delay: '50 ms', rate: '1 Mbit/s' },
    });
  });

  it('writes a managed queue', () => {
    const queue = { kind: 'codel', limit: '64 kB', ecn: true };
    expect(parse(linkText({ ...DRAFT, queue }))).toMatchObject({
      both: { queue: { kind: 'codel', limit: '64 kB', ecn: true } },
    });
  });

  it('writes each kind of recording as docs/files.md has it', () => {
    const milliseconds = Array.from({ length: 40 }, (_, i) => i);
    const text = linkText({
      ...DRAFT,
      recordings: { down: { kind: 'trace', milliseconds }, up: { kind: 'delays', seconds: [0.1, 2] } },
    });
    expect(parse(text)).toMatchObject({
      down: { delay: '50 ms', rate: { kind: 'trace', milliseconds } },
      up: { delay: 'empirical(0.1 s, 2 s)', rate: '1 Mbit/s' },
    });
    const steps = { kind: 'steps', atS: [0, 1.5], bps: [1000, 28_800], offS: 0 } as const;
    expect(parse(linkText({ ...DRAFT, recordings: { down: steps, up: null } }))).toMatchObject({
      down: {
        rate: {
          kind: 'stepped',
          steps: [
            { at: '0 s', rate: '1000 bit/s' },
            { at: '1.5 s', rate: '28800 bit/s' },
          ],
        },
      },
    });
  });
});

describe('upTo', () => {
  it('keeps the beginning', () => {
    expect(upTo({ kind: 'trace', milliseconds: [1, 1000, 1001] }, 1)).toMatchObject({
      milliseconds: [1, 1000],
    });
    expect(upTo({ kind: 'steps', atS: [0, 1, 2], bps: [1, 2, 3], offS: 0 }, 1.5)).toMatchObject({
      atS: [0, 1],
      bps: [1, 2],
    });
  });
});
