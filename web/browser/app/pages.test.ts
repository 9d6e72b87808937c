import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';

import { addresses } from './addresses';
import { violations } from './axe';
import { launch, NARROW, overhang, Visitor, WIDE } from './visitor';

const shared = inject('shared');

/** Every page on real data: accessible in light and dark, and of a width that fits. */
describe('every page', () => {
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    visitor = await Visitor.come(browser, shared.url);
  });

  afterEach(async () => {
    await visitor.leave();
  });

  it.each(addresses(shared))('$name ($path)', async ({ path }) => {
    const { page } = visitor;
    // The browser says on the console what the page says to the reader.
    if (path.endsWith('99999')) visitor.expecting(/status of 404/);
    await visitor.open(path);
    const found: string[] = [];
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      found.push(...(await overhang(page)).map((line) => `${size.width} px: ${line}`));
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction(
          (wanted) => document.documentElement.dataset['mantineColorScheme'] === wanted,
          colorScheme,
        );
        found.push(...(await violations(page)).map((line) => `${size.width} px, ${colorScheme}: ${line}`));
      }
    }
    expect(found).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.title()).toMatch(/^.+ – Windlull$/);
  });

  it('dialogues: the palette and the keys', async () => {
    const { page } = visitor;
    await visitor.open('/batches');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
