import axe from 'axe-core';
import type { Page } from 'playwright-core';

import { atRest } from './visitor';

const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that colours decide. All others have the same answer in light and dark. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe has against a page as it stands, or against its colours alone, a line for each place. */
export async function violations(page: Page, of: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Through the debugger's door: the page's policy lets no foreign script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  await atRest(page);
  const runOnly =
    of === 'all' ? { type: 'tag' as const, values: ALL } : { type: 'rule' as const, values: OF_COLOURS };
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { runOnly });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => {
        const why = failureSummary.split('\n').slice(1, 3).join(' ').replace(/\s+/g, ' ');
        return `${id}: ${target.join(' ')}: ${why}`;
      }),
    );
  }, runOnly);
}
