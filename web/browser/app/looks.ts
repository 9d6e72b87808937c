import type { Page } from 'playwright-core';

import { violations } from './axe';
import { NARROW, overhang, WIDE } from './visitor';

/** What is wrong with a page as it stands: what axe finds and what stands out, at both widths and in both colours. */
export async function faults(page: Page): Promise<string[]> {
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
      const against = await violations(page, colorScheme === 'light' ? 'all' : 'colours');
      found.push(...against.map((line) => `${size.width} px, ${colorScheme}: ${line}`));
    }
  }
  return found;
}
