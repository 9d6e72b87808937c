import { gzipSync } from 'node:zlib';

import type { Response, Route } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';

import { PATIENCE } from './service';
import { visiting } from './visiting';
import { NARROW } from './visitor';

/** What a first visit may load, gzipped. */
const FIRST_PAGE_BYTES = 500_000;

/** What is around all pages: addresses, palette, keys, colours, and how much a first visit loads. */
describe('the application', () => {
  const { url } = inject('shared');
  const visitor = visiting(() => url);

  const heading = (name: string | RegExp) => visitor.page.getByRole('heading', { level: 1, name });
  const finder = () => visitor.page.getByRole('combobox', { name: 'A page, an action, a name or a number' });

  it('loads less than 500 KB for the first page, all of its own origin', async () => {
    const responses: Response[] = [];
    const policies: (string | null)[] = [];
    visitor.page.on('response', (response) => {
      const kind = response.request().resourceType();
      if (kind !== 'eventsource') responses.push(response);
      if (kind === 'document') policies.push(response.headers()['content-security-policy'] ?? null);
    });
    await visitor.open('/');
    // What comes later, as the page lives on, is not of the first load, and may be cut off by the test's end.
    const bodies = await Promise.all(responses.map((response) => response.body()));
    const sizes = bodies.map((body) => gzipSync(body).length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    // Document, script, style, the page's chunk and what it asks for: fewer would mean that nothing was measured.
    expect(sizes.length).toBeGreaterThan(4);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(FIRST_PAGE_BYTES);
    expect(policies).toHaveLength(1);
    expect(policies[0]).toContain("default-src 'none'; script-src 'self';");
  });

  it('helps at an address that is nobody’s', async () => {
    await visitor.open('/nowhere');
    await heading('No such page').waitFor();
    await visitor.page.getByRole('link', { name: 'Go to the home page' }).click();
    await visitor.page.waitForURL(`${url}/`);
  });

  it('finds pages, names and numbers by Ctrl K, without a mouse', async () => {
    const { page } = visitor;
    await visitor.open('/');
    await page.keyboard.press('Control+k');
    await finder().fill('testb');
    await page.getByRole('option', { name: 'Testbeds', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/testbeds');
    await heading('Testbeds').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');

    await page.keyboard.press('Control+k');
    // What was chosen last stands first.
    await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Testbeds' }).waitFor();
    await finder().fill('delays table');
    const found = page.getByRole('option', { name: /^papers\/sarolahti2003\/table-1/ });
    await found.waitFor();
    await expect
      .poll(() => finder().getAttribute('aria-activedescendant'), PATIENCE)
      .toBe(await found.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/experiments/view/papers/sarolahti2003/table-1');

    await page.keyboard.press('Control+k');
    await finder().fill('frto');
    await page
      .getByRole('option', { name: /^frto\+sack/ })
      .first()
      .waitFor();
    // Lists come one by one: with one line alone there is nowhere to go.
    await page.getByRole('option').nth(1).waitFor();
    const active = () => finder().getAttribute('aria-activedescendant');
    const first = await active();
    // A list that comes late begins at its first line again.
    const after = (key: string) => async () => {
      await page.keyboard.press(key);
      return active();
    };
    await expect.poll(after('ArrowDown'), PATIENCE).not.toBe(first);
    await expect.poll(after('ArrowUp'), PATIENCE).toBe(first);
    await finder().fill('there is nothing of this name');
    await page.getByText('No match for all of these words').waitFor();
    await finder().fill('batch 7');
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Batch 7']);
    await page.keyboard.press('Escape');
    await finder().waitFor({ state: 'detached' });
  });

  it('leaves the keys with the palette when a page comes late', async () => {
    const { page } = visitor;
    await visitor.open('/');
    const held: Route[] = [];
    let late = true;
    await page.route('**/assets/*.js', async (route) => {
      if (late) held.push(route);
      else await route.continue();
    });
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.keyboard.press('Control+k');
    await finder().fill('batch');
    late = false;
    await Promise.all(held.map((route) => route.continue()));
    await page.locator('h1', { hasText: 'Papers' }).waitFor();
    await page.keyboard.type(' 7');
    await expect.poll(() => finder().inputValue(), PATIENCE).toBe('batch 7');
  });

  it('changes colours from the palette, and remembers them', async () => {
    const { page } = visitor;
    const scheme = () => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
    await visitor.open('/');
    expect(await scheme()).toBe('light');
    await page.keyboard.press('Control+k');
    await finder().fill('dark');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset['mantineColorScheme'] === 'dark');
    await page.reload();
    await visitor.settled();
    expect(await scheme()).toBe('dark');
  });

  it('goes to pages by g and a letter, and shows all keys by ?', async () => {
    const { page } = visitor;
    await visitor.open('/');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL('**/papers');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    await expect.poll(() => keys.getByRole('row').count(), PATIENCE).toBeGreaterThan(12);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
  });

  it('takes no letters from fields, nor from anyone once they are turned off', async () => {
    const { page } = visitor;
    await visitor.open('/batches');
    await page.keyboard.press('Control+k');
    // Nobody types before it is there.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('g a ?');
    await expect.poll(() => finder().inputValue(), PATIENCE).toBe('g a ?');
    await page.keyboard.press('Escape');
    await finder().waitFor({ state: 'detached' });

    await page.keyboard.press('?');
    const letters = page.getByRole('switch', { name: 'Letter keys work everywhere except in text fields' });
    await letters.press('Space');
    await page.keyboard.press('Escape');
    await letters.waitFor({ state: 'detached' });
    await page.reload();
    await visitor.settled();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    // Ctrl K comes after them, and is no letter.
    await page.keyboard.press('Control+k');
    await finder().waitFor();
    expect(new URL(page.url()).pathname).toBe('/batches');
    await expect.poll(() => page.getByRole('dialog', { name: 'Keys' }).count(), PATIENCE).toBe(0);
  });

  it('has its navigation behind a button on a telephone', async () => {
    const { page } = visitor;
    await page.setViewportSize(NARROW);
    await visitor.open('/');
    const button = page.getByRole('button', { name: 'Navigation' });
    await expect.poll(() => button.getAttribute('aria-expanded'), PATIENCE).toBe('false');
    await button.press('Enter');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Papers' }).click();
    await page.waitForURL('**/papers');
    await expect.poll(() => button.getAttribute('aria-expanded'), PATIENCE).toBe('false');
  });
});
