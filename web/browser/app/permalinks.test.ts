import { describe, expect, inject, it } from 'vitest';

import { visiting } from './visiting';
import { PATIENCE } from './service';

const shared = inject('shared');

/** An address shows another person the same view; the browser's way back goes through what was chosen. */
describe('a permalink', () => {
  const visitor = visiting(() => shared.url);

  it('of a run restores zoom, episode and filter', async () => {
    const { page } = visitor;
    await visitor.open(`/runs/${shared.run}?show=spurious`);
    const first = page.getByRole('list', { name: 'Episodes' }).getByRole('button').first();
    await first.click();
    await page.waitForURL(/episode=\d+/);
    const chosen = page.url();
    const stage = page.locator('.ts-stage').first();
    await stage.press('+');
    await page.waitForURL((url) => url.href !== chosen);
    await page.getByRole('article', { name: /^Episode/ }).waitFor();
    const link = page.url();
    const title = await page
      .getByRole('article', { name: /^Episode/ })
      .getByRole('heading')
      .innerText();

    const other = await visitor.another();
    await other.open(link);
    await other.page.getByRole('article', { name: title }).waitFor();
    await expect
      .poll(() => other.page.getByRole('radio', { name: 'Spurious' }).isChecked(), PATIENCE)
      .toBe(true);
    await other.page.locator('.ts-stage').first().waitFor();
    expect(other.page.url()).toBe(link);
    await other.leave();

    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has('episode') && !url.searchParams.has('t'));
    await page.goForward();
    await page.waitForURL((url) => url.searchParams.has('episode'));
  });

  it('of a comparison restores who is compared, and with what', async () => {
    const { page } = visitor;
    const address = `/batches/${shared.batch}/compare?v=frto%2Bsack&v=newreno&repetition=3&way=stacked`;
    await visitor.open(address);
    await page.locator('.ts-stage').nth(1).waitFor();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Baseline' }).inputValue(), PATIENCE)
      .toMatch(/F-RTO/);
    expect(page.url()).toBe(`${shared.url}${address}`);
  });

  it('of a batch restores tab and filters', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${shared.batch}?tab=runs&variant=sack`);
    await expect
      .poll(() => page.getByRole('tab', { name: 'Runs' }).getAttribute('aria-selected'), PATIENCE)
      .toBe('true');
    const table = page.getByRole('table', { name: 'Runs of this batch' });
    await table.waitFor();
    // A head, and one line for each of five repetitions.
    await expect.poll(() => table.getByRole('row').count(), PATIENCE).toBe(6);
  });
});
