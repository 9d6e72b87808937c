import axe from 'axe-core';
import type { Page } from 'playwright-core';

import { atRest } from './visitor';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe has against a page as it stands, a line for each place. */
export async function violations(page: Page): Promise<string[]> {
  // Through the debugger's door: the page's policy lets no foreign script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  await atRest(page);
  return page.evaluate(async (values) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => {
        const why = failureSummary.split('\n').slice(1, 3).join(' ').replace(/\s+/g, ' ');
        return `${id}: ${target.join(' ')}: ${why}`;
      }),
    );
  }, TAGS);
}
