import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { Coords } from './coords';
import { DIRECTION_LINES } from './directions';
import { DARK, LIGHT, type Palette } from './palette';
import { SvgSurface } from './svg-surface';
import { MOST_TRACES, traceStyle } from './traces';

const SOURCES = new URL('../', import.meta.url);

/** Contrast of two colours `#rrggbb` as WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const luminance = (color: string) => {
    const [r, g, bl] = [1, 3, 5].map((at) => {
      const c = parseInt(color.slice(at, at + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (hi + 0.05) / (lo + 0.05);
}

describe('palettes', () => {
  const lines: (keyof Palette)[] = [
    'segment',
    'necessary',
    'unnecessary',
    'unknown',
    'ack',
    'window',
    'sack',
    'dsack',
  ];
  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ])('%s: text at 4.5:1 and lines at 3:1 on the background', (_name, palette) => {
    expect(contrast(palette.text, palette.background)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.muted, palette.background)).toBeGreaterThanOrEqual(4.5);
    for (const line of [...lines, 'drop', 'queue', 'arrival'] as (keyof Palette)[]) {
      expect(contrast(palette[line], palette.background), line).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('meanings', () => {
  // A lost packet is drawn in the colour of text, everything neutral in shades of grey.
  const neutral: (keyof Palette)[] = ['background', 'text', 'muted', 'grid', 'axis', 'lane', 'drop'];
  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ])('%s: each meaning has a colour of its own', (_name, palette) => {
    const meanings = (Object.keys(palette) as (keyof Palette)[]).filter((key) => !neutral.includes(key));
    expect(new Set(meanings.map((key) => palette[key])).size).toBe(meanings.length);
    for (const line of ['down', 'up', 'setting', 'selection'] as const) {
      expect(contrast(palette[line], palette.background), line).toBeGreaterThanOrEqual(3);
    }
  });

  it('directions of the link are never drawn in the colours of verdicts', () => {
    const verdicts: readonly string[] = ['necessary', 'unnecessary', 'unknown'];
    for (const { color } of Object.values(DIRECTION_LINES)) expect(verdicts).not.toContain(color);
  });

  it('answers of detectors are coloured in one place, as timeouts are in diagrams', () => {
    const source = (path: string) => readFileSync(new URL(path, SOURCES), 'utf8');
    const sheets = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.css'),
    );
    const coloured = sheets.filter((path) => /data-kind='(tp|fn|tn|fp)'/.test(source(path)));
    expect(coloured).toEqual(['results/results.css']);
    const rule = (kind: string) =>
      new RegExp(`data-kind='${kind}'\\] \\{([^}]*)`).exec(source('results/results.css'))?.[1];
    // Spurious timeouts in the one colour, genuine ones in the other.
    for (const kind of ['tp', 'fn']) expect(rule(kind), kind).toContain('var(--bad)');
    for (const kind of ['tn', 'fp']) expect(rule(kind), kind).toContain('var(--good)');
  });
});

describe('traces', () => {
  const all = Array.from({ length: MOST_TRACES }, (_, i) => i);
  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ] as const)('%s: each at 3:1 on the background, no two alike', (theme, palette) => {
    const styles = all.map((i) => traceStyle(i, theme));
    for (const { color } of styles) {
      expect(contrast(color, palette.background), color).toBeGreaterThanOrEqual(3);
    }
    expect(new Set(styles.map(({ color }) => color)).size).toBe(MOST_TRACES);
    // In grey, too, no two of the first four are alike.
    expect(new Set(styles.slice(0, 4).map(({ mark }) => mark)).size).toBe(4);
  });
});

describe('SvgSurface', () => {
  it('writes one element per batch, inside named groups, with text escaped', () => {
    const svg = new SvgSurface(100, 50);
    const coords = new Coords();
    coords.push4(1, 2, 1, 8);
    coords.push4(3, 2, 3, 8.123456);
    svg.group('acks', () => {
      svg.lines(coords, { color: '#000', width: 1 });
    });
    svg.group('empty', () => undefined);
    svg.text(5, 5, 'a < b & "c"', { color: '#111', size: 10 });
    const text = svg.document('t', 'd', '#fff');
    expect(text).toContain('<g data-name="acks">');
    expect(text).toContain('d="M1 2V8M3 2V8.12"');
    expect(text).not.toContain('data-name="empty"');
    expect(text).toContain('a &lt; b &amp; &quot;c&quot;');
  });

  it('cuts off with clip paths of their own', () => {
    const svg = new SvgSurface(10, 10);
    for (let i = 0; i < 2; i++) {
      svg.clip({ x: 0, y: 0, w: 5, h: 5 }, () => {
        svg.text(0, 0, 'x', { color: '#000', size: 8 });
      });
    }
    const text = svg.document('', '', '#fff');
    expect(text).toContain('url(#clip1)');
    expect(text).toContain('url(#clip2)');
  });
});
