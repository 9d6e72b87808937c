import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fillPage } from '../src/testing/page';
import { samplePartingPage } from '../src/testing/sample-parting';
import { launch } from './chromium';

/** The page of two runs, opened from the disk as a reader would, in a real browser. */
describe('the page of two runs in a browser', () => {
  let folder = '';
  let address = '';
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windlull-parting-'));
    const built = readFileSync(fileURLToPath(new URL('../dist/two-runs.html', import.meta.url)), 'utf8');
    const { page, runs } = samplePartingPage();
    const file = join(folder, 'parting.html');
    writeFileSync(file, fillPage(built, page, runs));
    address = pathToFileURL(file).href;
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('draws both runs about the instant at which they part, apart or overlaid', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!/^(file|data|blob):/.test(request.url()))
        complaints.push(`asked the network for ${request.url()}`);
    });
    await page.goto(address);
    const stages = page.locator('.ts-stage');
    await stages.nth(1).waitFor();
    expect(await page.title()).toContain('They part at 12.000000 s');
    expect(await stages.count()).toBe(2);
    expect(await page.locator('#diagrams h3').allInnerTexts()).toEqual([
      expect.stringContaining('A sack'),
      expect.stringContaining('B frto+sack'),
    ]);
    await page.getByLabel('diagrams').selectOption('overlaid');
    await page.waitForFunction(() => document.querySelectorAll('.ts-stage').length === 1);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
