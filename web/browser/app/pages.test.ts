import { describe, expect, inject, it } from 'vitest';

import { addresses } from './addresses';
import { faults } from './looks';
import { visiting } from './visiting';
import { PATIENCE } from './service';

const shared = inject('shared');

/** Every page on real data: accessible in light and dark, and of a width that fits. */
describe('every page', () => {
  const visitor = visiting(() => shared.url);

  it.each(addresses(shared))('$name ($path)', async ({ path }) => {
    const { page } = visitor;
    // The browser says on the console what the page says to the reader.
    if (path.endsWith('99999') || path === '/live-link') visitor.expecting(/status of 404/);
    await visitor.open(path);
    expect(await faults(page)).toEqual([]);
    await expect.poll(() => page.locator('h1').count(), PATIENCE).toBe(1);
    expect(await page.title()).toMatch(/^.+ – Windlull$/);
  });
});
