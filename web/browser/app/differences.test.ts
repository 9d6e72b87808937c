import { describe, expect, inject, it } from 'vitest';

import { faults } from './looks';
import { PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** In which decision two runs part. */
describe('the first difference', () => {
  const visitor = visiting(() => shared.url);

  it('of a run and the same repetition of another variant is one step away', async () => {
    const { page } = visitor;
    await visitor.open(`/runs/${shared.run}`);
    await page.getByRole('link', { name: 'Where they part' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/compare') && url.searchParams.has('part'));
    await visitor.settled();
    const section = page.getByRole('region', { name: 'The first difference' });
    await section.getByText(/^They part at \d/).waitFor();
    await section.getByRole('heading', { name: 'What each decided' }).waitFor();
    await expect.poll(() => section.locator('.ts-stage').count(), PATIENCE).toBe(2);
    await section.getByText('Overlaid', { exact: true }).click();
    await expect.poll(() => section.locator('.ts-stage').count(), PATIENCE).toBe(1);
    expect(await faults(page)).toEqual([]);
  });

  it('is counted over all repetitions', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${shared.batch}/compare?v=sack&v=frto%2Bsack&part=frto%2Bsack`);
    await page.getByRole('button', { name: 'Count over all repetitions' }).click();
    const table = page.getByRole('table', { name: 'Kinds of first differences' });
    await table.waitFor();
    await page.getByText(/^5 pairs of runs were compared/).waitFor();
    await table
      .getByRole('link', { name: /^repetition \d/ })
      .first()
      .click();
    await page.waitForURL((url) => url.searchParams.has('repetition'));
  });

  it('of any two runs has a page, which asks for a number that it lacks', async () => {
    const { page } = visitor;
    await visitor.open(`/differences?a=${shared.run}`);
    await page.getByRole('heading', { name: 'Two runs to compare' }).waitFor();
    await page.getByRole('textbox', { name: 'Run B' }).fill(String(shared.partner));
    await page.getByText(/^They part at \d/).waitFor();
    expect(new URL(page.url()).searchParams.get('b')).toBe(String(shared.partner));
  });

  it('of runs that cannot be compared says why', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 409/);
    await visitor.open(`/differences?a=${shared.run}&b=${shared.cancelled.run}`);
    await page.getByRole('alert').filter({ hasText: 'The two runs cannot be compared' }).waitFor();
  });
});
