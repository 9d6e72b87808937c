import { expect, inject, it, describe } from 'vitest';

import { faults } from './looks';
import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** A variant of one batch beside one of another. */
describe('two batches', () => {
  const visitor = visiting(() => shared.url);

  it('are chosen among the runs and compared, with what differs between them', async () => {
    const { page } = visitor;
    const api = apiOf(shared.url);
    const body = { experiment: 'late', repetitions: 6, seed: '2' };
    const made = await api.POST('/api/v1/batches', {
      body,
      params: { header: { 'Idempotency-Key': 'two-batches' } },
    });
    const newer = made.data?.id ?? 0;
    const path = { params: { path: { id: newer } } };
    await expect
      .poll(async () => (await api.GET('/api/v1/batches/{id}', path)).data?.state, PATIENCE)
      .toBe('ended');

    await visitor.open('/batches?experiment=late');
    for (const id of [newer, shared.batch])
      await page.getByRole('checkbox', { name: `Select batch ${id}`, exact: true }).check();
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/comparisons');
    await visitor.settled();
    expect(new URL(page.url()).search).toBe(`?a=${shared.batch}&b=${newer}`);

    const differs = page.getByRole('table', { name: 'What differs' });
    await differs.getByRole('row', { name: 'seed 1 2' }).waitFor();
    await page.getByText('the seeds differ (1, 2): runs are compared as they are, not in pairs').waitFor();
    expect(await faults(page)).toEqual([]);

    const candidate = page.getByRole('region', { name: 'Candidate' });
    await candidate.getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: /^F-RTO/ }).click();
    await page.waitForURL((url) => url.searchParams.get('vb') === 'frto+sack');
    await differs.getByRole('row', { name: 'variant newreno frto+sack' }).waitFor();
    await page
      .getByRole('heading', {
        name: /^F-RTO.*, batch \d+ against NewReno, batch \d+ on GPRS with a delay of 3 s, simulated$/,
      })
      .waitFor();
  });
});
