import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PAPER_WIDTH } from '../src/figures/paper';
import { fillPage } from '../src/testing/page';
import { sampleReport } from '../src/testing/sample-report';
import { launch } from './chromium';

const FIGURES = [
  { kind: 'time-sequence' },
  { kind: 'conversations' },
  { kind: 'timer' },
  { kind: 'round-trips' },
  { kind: 'bandwidth', bin: '5 s', relative_to: '16 kbit/s' },
  { kind: 'box-plot', metric: 'elapsed_s' },
  { kind: 'curve', metric: 'elapsed_s', axis: 'Loss (%)', at: [3] },
];

/** A reproduction that has every kind of figure, far below what a window shows. */
function everyFigure(): string {
  const built = readFileSync(fileURLToPath(new URL('../dist/report.html', import.meta.url)), 'utf8');
  const { report, runs } = sampleReport(2);
  const { experiment, runs: entries } = report as {
    experiment: Record<string, unknown>;
    runs: { key: string; repetition: number }[];
  };
  const first = entries.filter(({ repetition }) => repetition === 1);
  const course = { sent: Array<number>(60).fill(2000), delivered: Array<number>(60).fill(1500) };
  const one = {
    ...report,
    experiment: { ...experiment, figures: FIGURES },
    runs: first.map((run) => ({ ...run, files: [], flows: [run.key], course })),
    directory: 'p/every-figure',
    intervals: [],
  };
  const paper = { name: 'p', experiments: [one], statements: [], own_additions: [] };
  const whole = { version: 1, grades: {}, seeds: [{}], papers: [paper] };
  return fillPage(built, whole, new Map(first.map(({ key }) => [key, runs.get(key) ?? {}])));
}

/** Each figure by its kind: how many pictures it has, and how many lines, dots and letters are in them. */
function drawnIn(page: Page): Promise<Record<string, { pictures: number; marks: number; widest: number }>> {
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll<HTMLElement>('figure[data-kind]')].map(
        (figure) =>
          [
            figure.dataset['kind'] ?? '',
            {
              pictures: figure.querySelectorAll('svg[role], canvas').length,
              marks: figure.querySelectorAll('svg path, svg circle, svg text').length,
              widest: Math.max(...[...figure.querySelectorAll('svg')].map((svg) => svg.clientWidth)),
            },
          ] as const,
      ),
    ),
  );
}

describe('the figures of a reproduction', () => {
  let folder = '';
  let address = '';
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windlull-paper-'));
    const file = join(folder, 'report.html');
    writeFileSync(file, everyFigure());
    address = pathToFileURL(file).href;
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are all on paper when the page is printed as soon as it is there, dark on white', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'dark' });
    // What stands in the page while the browser lays it out for paper; the page's own listeners come first.
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        window.addEventListener('beforeprint', () => {
          document.documentElement.dataset['printed'] = document.getElementById('root')?.innerHTML ?? '';
        });
      });
    });
    await page.goto(address);
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
    const printed = await page.evaluate(() => document.documentElement.dataset['printed'] ?? '');
    // What is folded on the screen is open on paper, and folded again when that is done.
    expect(await page.locator('details:not([open])').count()).toBeGreaterThan(0);
    expect(printed).toContain('<details');
    expect(printed).not.toMatch(/<details(?![^>]*\bopen\b)/);
    await page.setContent(`<div data-paper>${printed}</div>`);
    const drawn = await drawnIn(page);
    expect(Object.keys(drawn)).toEqual(FIGURES.map(({ kind }) => kind));
    for (const [kind, { pictures, marks, widest }] of Object.entries(drawn)) {
      expect(pictures, kind).toBeGreaterThan(0);
      expect(marks, kind).toBeGreaterThan(10);
      expect(widest, kind).toBe(PAPER_WIDTH);
    }
    expect(printed).not.toContain('<canvas');
    // Diagrams say their colours themselves: white behind them, although the screen is dark.
    expect(printed).toContain('<rect width="100%" height="100%" fill="#ffffff"');
    // Lines and letters, no pictures of them: a PDF of canvases has images in it.
    const text = pdf.toString('latin1');
    expect(text).not.toMatch(/\/Subtype\s*\/Image/);
    expect(text.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(3);
    await page.close();
  });

  it('keep their colours on paper', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(address);
    const adjust = () =>
      page.evaluate(() => getComputedStyle(document.body).getPropertyValue('print-color-adjust'));
    expect(await adjust()).toBe('economy');
    await page.emulateMedia({ media: 'print' });
    expect(await adjust()).toBe('exact');
    await page.close();
  });

  it('are all in one long picture of the page, although nobody scrolled', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector('figure:not([data-drawn="true"])') === null);
    const high = await page.evaluate(() => document.documentElement.scrollHeight);
    const picture = await page.screenshot({ fullPage: true });
    // Width and height of a PNG stand in its first chunk.
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1280, high]);
    for (const [kind, { pictures }] of Object.entries(await drawnIn(page)))
      expect(pictures, kind).toBeGreaterThan(0);
    await page.close();
  });

  it.each([360, 800, 1280])('have no letter cut off at %i px', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector('figure:not([data-drawn="true"])') === null);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<SVGTextElement>('figure svg[role] text')].flatMap((text) => {
        const [inner, outer] = [text.getBoundingClientRect(), text.ownerSVGElement?.getBoundingClientRect()];
        if (!outer || inner.width === 0) return [];
        const beyond = Math.max(outer.left - inner.left, inner.right - outer.right);
        return beyond > 1 ? [`${text.textContent}: ${beyond.toFixed(1)} px`] : [];
      }),
    );
    expect(cut).toEqual([]);
    await page.close();
  });
});
