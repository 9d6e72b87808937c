import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { sampleLiveReport } from '../src/testing/live-sample';
import { launch } from './chromium';
import { filledPage } from './fill';

/** The built report, opened from the disk as a reader would, in a real browser. */
describe('the report in a browser', () => {
  let folder = '';
  let address = '';
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windlull-report-'));
    const file = join(folder, 'report.html');
    writeFileSync(file, filledPage(4));
    address = pathToFileURL(file).href;
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!/^(file|data|blob):/.test(request.url()))
        complaints.push(`asked the network for ${request.url()}`);
    });
  });

  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  async function open(hash = ''): Promise<void> {
    await page.goto(address + hash);
    await page.locator('.ts-stage').first().waitFor();
  }

  /** Where the first diagram stands, once it is in sight. */
  async function stageBox() {
    const stage = page.locator('.ts-stage').first();
    await stage.scrollIntoViewIfNeeded();
    const box = await stage.boundingBox();
    if (!box) throw new Error('the diagram has a place');
    return box;
  }

  it('shows the table, the claims, the box plots and the scorecard', async () => {
    await open();
    expect(await page.title()).toContain('Sudden delays');
    expect(await page.locator('table.summary tbody tr').count()).toBe(4);
    expect(await page.locator('table.summary').textContent()).toContain('94.13');
    expect(await page.locator('.pill').count()).toBe(3);
    expect(await page.locator('.boxes circle').count()).toBe(16);
    expect(await page.locator('table.scores').textContent()).toContain('F-RTO with SACK');
    expect(await page.getByRole('button', { name: /repetition 3: elapsed/ }).count()).toBe(4);
  });

  it('explains the segment under the pointer', async () => {
    await open();
    const box = await stageBox();
    const tip = page.locator('.ts-tip').first();
    let text = '';
    for (let x = 80; x < box.width - 20 && text === ''; x += 8) {
      for (let y = 40; y < 430 && text === ''; y += 12) {
        await page.mouse.move(box.x + x, box.y + y);
        if (await tip.isVisible()) {
          const said = await tip.innerText();
          if (said.includes('Segment')) text = said;
        }
      }
    }
    expect(text).toMatch(/^Segment \d+/);
    expect(text).toMatch(/sent\s+\d+\.\d{3} s/);
  });

  it('zooms by box, wheel and keys, keeps the place in the address and goes back by double-click', async () => {
    await open();
    const box = await stageBox();
    const hash = () => page.evaluate(() => location.hash);
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 380, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => location.hash.includes('&y='));
    const boxed = await hash();
    expect(boxed).toMatch(/#run=frto\+sack\/001&t=[\d.]+_[\d.]+&y=-?\d+_\d+/);

    await page.locator('.ts-stage').first().press('0');
    await page.waitForFunction(() => !location.hash.includes('t='));
    await page.mouse.move(box.x + 400, box.y + 200);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => location.hash.includes('t='));
    const wheeled = await hash();
    await page.locator('.ts-stage').first().press('ArrowRight');
    await page.waitForFunction((old) => location.hash !== old, wheeled);

    await page.mouse.dblclick(box.x + 400, box.y + 300);
    await page.waitForFunction(() => !location.hash.includes('t='));

    const permalink = await open(boxed).then(hash);
    expect(permalink).toBe(boxed);
  });

  it('leaves the wheel to the page until the diagram is clicked', async () => {
    await open();
    const box = await stageBox();
    await page.mouse.move(box.x + 400, box.y + 200);
    await page.mouse.wheel(0, 200);
    await page.locator('.ts-hint').first().waitFor({ state: 'visible' });
    expect(await page.evaluate(() => location.hash)).toBe('');
  });

  it('steps through segments and timeouts by keys and says what they are', async () => {
    await open();
    const stage = page.locator('.ts-stage').first();
    await stage.press('n');
    expect(await page.locator('.ts-spoken').first().textContent()).toMatch(/^Segment 1\b/);
    await stage.press('n');
    expect(await page.locator('.ts-spoken').first().textContent()).toMatch(/^Segment 2\b/);
    await stage.press('t');
    expect(await page.locator('.ts-spoken').first().textContent()).toMatch(/^Timeout \d/);
  });

  it('saves the view as SVG and as PNG', async () => {
    await open();
    const save = async (label: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save this view as ${label}` }).click(),
      ]);
      return { name: download.suggestedFilename(), data: readFileSync(await download.path()) };
    };
    const svg = await save('an SVG figure');
    expect(svg.name).toBe('frto+sack-on-gprs-sudden-delays-repetition-1.svg');
    expect(svg.data.toString()).toContain('<g data-name="segments">');
    expect(svg.data.toString()).toContain('seed 1000003');
    const malformed = await page.evaluate(
      (text) =>
        new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent,
      svg.data.toString(),
    );
    expect(malformed).toBeUndefined();
    const png = await save('a PNG figure');
    expect(png.data.subarray(1, 4).toString()).toBe('PNG');
  });

  it('compares two variants with linked time', async () => {
    await open();
    await page.getByLabel('compare with').selectOption('newreno');
    await page.waitForFunction(() => document.querySelectorAll('.ts-stage').length === 2);
    expect(await page.evaluate(() => location.hash)).toContain('vs=newreno');
    await page.locator('.ts-stage').nth(1).press('+');
    await page.waitForFunction(() => location.hash.includes('t='));
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll('.ts-stage').length === 1);
  });

  it('chooses runs from the grid, by mouse and by keys', async () => {
    await open();
    const run = page.getByRole('button', { name: /^SACK, repetition 2/ });
    await run.click();
    await page.locator('.run-head', { hasText: 'repetition 2' }).waitFor();
    await run.press('ArrowDown');
    await page.locator('.run-head', { hasText: 'NewReno' }).waitFor();
    await page.getByTitle('Sort the repetitions').first().click();
    await page.getByText('sorted by F-RTO with SACK').waitFor();
  });

  it('hides a layer and a lane from the legend', async () => {
    await open();
    const before = (await stageBox()).height;
    const queue = page.locator('.ts-toggle[data-part="queue"]').first();
    await queue.click();
    expect(await queue.getAttribute('aria-pressed')).toBe('false');
    expect((await stageBox()).height).toBeLessThan(before);
  });

  it('fits a telephone, in light and in dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe(colorScheme);
    }
  });

  it('shows live runs beside simulated ones, with certificates and settings', async () => {
    const file = join(folder, 'live.html');
    writeFileSync(file, filledPage(3, sampleLiveReport));
    const live = pathToFileURL(file).href;
    await page.goto(`${live}#run=netns/sack/002`);
    await page.locator('.ts-stage').first().waitFor();
    expect(await page.locator('.certificate[open] .reasons li').count()).toBe(2);
    expect(await page.locator('.boxes .box[data-live="true"]').count()).toBe(4);
    expect(await page.locator('.grid [data-invalid="true"]').count()).toBe(1);

    await page.getByLabel('compare with').selectOption({ label: 'SACK, simulated' });
    await page.waitForFunction(() => document.querySelectorAll('.ts-stage').length === 2);
    expect(await page.evaluate(() => location.hash)).toContain('vs=sim:sack');
    const permalink = await page.evaluate(() => location.href);
    await page.goto('about:blank');
    await page.goto(permalink);
    await page.waitForFunction(() => document.querySelectorAll('.ts-stage').length === 2);

    const rows = page.locator('table.settings tbody tr:not(.group)');
    expect(await rows.count()).toBe(4);
    await page.getByLabel(/show all 13 settings/).check();
    expect(await rows.count()).toBe(13);
    await page.getByRole('button', { name: 'netns/sack/002' }).click();
    await page.setViewportSize({ width: 390, height: 800 });
    // The diagrams take their new width a moment later.
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
  });

  it('says so when it cannot read what it holds', async () => {
    const file = join(folder, 'newer.html');
    writeFileSync(
      file,
      filledPage(1).replace('id="windlull-report">{"version":1', 'id="windlull-report">{"version":2'),
    );
    await page.goto(pathToFileURL(file).href);
    expect(await page.getByRole('alert').textContent()).toContain(
      'format version 2, this page reads version 1',
    );
  });
});
