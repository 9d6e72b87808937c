import { describe, expect, inject, it } from 'vitest';

import { faults } from './looks';
import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** A metric over batches. */
describe('a trend', () => {
  const visitor = visiting(() => shared.url);

  it('tells where a metric changed, marks it, and leads to the batches', async () => {
    const { page } = visitor;
    const api = apiOf(shared.url);
    const batches: number[] = [];
    // Of another seed all is another; equal runs are not made again, so that this takes a moment.
    for (const seed of ['1', '1', '1', '1', '1', '3', '3', '3', '3', '3']) {
      const body = { experiment: 'late', repetitions: 6, seed };
      const header = { 'Idempotency-Key': `trend-${batches.length}` };
      const { data } = await api.POST('/api/v1/batches', { body, params: { header } });
      const id = data?.id ?? 0;
      batches.push(id);
      const path = { params: { path: { id } } };
      await api.PATCH('/api/v1/batches/{id}', { ...path, body: { tags: ['nightly'] } });
      await expect
        .poll(async () => (await api.GET('/api/v1/batches/{id}', path)).data?.state, PATIENCE)
        .toBe('ended');
    }
    const [, , , , last, first] = batches;

    await visitor.open('/batches?tag=nightly');
    await page.getByRole('link', { name: 'Trend', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/trends' && url.searchParams.get('tag') === 'nightly');
    await page
      .getByText(
        new RegExp(`since .* \\(batch ${first}, commit .*elapsed time of sack is .* % (higher|lower)`),
      )
      .waitFor();
    await page.getByText('Between the two, this was changed: seed.').first().waitFor();
    // With a tag the field is as tall as the others, and all labels are on one line.
    const topOf = async (label: string) => {
      const box = await page.locator('label', { hasText: new RegExp(`^${label}$`) }).boundingBox();
      return box?.y;
    };
    expect(await topOf('Tags')).toBe(await topOf('Metric'));
    const heightOf = async (name: string) => {
      const bar = page.getByRole('search', { name: 'Trend' });
      const box = await bar.locator('.mantine-InputWrapper-root', { hasText: name }).boundingBox();
      return box?.height ?? 0;
    };
    expect(Math.abs((await heightOf('Tags')) - (await heightOf('Metric')))).toBeLessThan(4);
    const chart = page.getByRole('group', { name: /^Elapsed time \(s\) of sack on late/ });
    expect(await chart.getByRole('link').count()).toBe(batches.length);
    expect(await faults(page)).toEqual([]);

    await page
      .getByRole('link', { name: `Compare batches ${last} and ${first}` })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname === '/comparisons');
    await page.goBack();
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Packets lost' }).click();
    await page.waitForURL((url) => url.searchParams.get('metric') === 'packets_lost');
    await page.getByText('No change can be told from chance.').waitFor();
    await page
      .getByRole('link', { name: new RegExp(`^Batch ${first}, `) })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname === `/batches/${first}`);
    await page.getByRole('link', { name: 'Trend', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('experiment') === 'late');
  });
});
