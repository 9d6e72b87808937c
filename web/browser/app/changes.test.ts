import { describe, expect, it } from 'vitest';

import { ENDLESS, EXPERIMENT, LINK } from './seed';
import { PATIENCE } from './service';
import { serving, visiting } from './visiting';

/** What is changed in the browser is changed in the service, and said. */
describe('of what was asked for', () => {
  const service = serving({ workers: 1 });
  const visitor = visiting(() => service.url);

  const choose = async (...names: readonly string[]) => {
    const { page } = visitor;
    for (const name of names) {
      const button = page.getByRole('button', { name, exact: true });
      await button.or(page.getByRole('menuitem', { name, exact: true })).click();
    }
  };
  const confirm = () => visitor.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
  const read = async (id: number) =>
    (await service.api.GET('/api/v1/batches/{id}', { params: { path: { id } } })).data;

  it('the priority says what is run first', async () => {
    const { page } = visitor;
    const first = await service.submit({ ...ENDLESS, priority: 900 });
    const [second, third] = [await service.submit(ENDLESS), await service.submit(ENDLESS)];
    await visitor.open(`/batches/${third}`);
    await choose('More', 'Change priority');
    const field = page.getByRole('textbox', { name: 'Priority of waiting runs' });
    await field.fill('1001');
    await field.press('Enter');
    await expect.poll(() => field.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await page.getByText('A whole number from −1000 to 1000').waitFor();
    await field.fill('1000');
    await field.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // A result of the first batch may be known to it already, which is said behind.
    await page.getByText(/, priority 1000\b/).waitFor();
    expect(await read(third)).toMatchObject({ priority: 1000 });
    // It goes before those that were there before it.
    await service.api.POST('/api/v1/batches/{id}/cancel', { params: { path: { id: first } } });
    await expect.poll(async () => (await read(third))?.state, PATIENCE).toBe('running');
    expect(await read(second)).toMatchObject({ state: 'queued' });
    for (const id of [third, second]) {
      await service.api.POST('/api/v1/batches/{id}/cancel', { params: { path: { id } } });
      await service.ended(id);
    }
  });

  it('a batch is pinned, and let go again', async () => {
    const { page } = visitor;
    await service.write('links', 'late', LINK);
    await service.write('experiments', 'late', EXPERIMENT);
    const batch = await service.submit({ experiment: 'late', repetitions: 1 });
    await service.ended(batch);
    await visitor.open(`/batches/${batch}`);
    const tag = page.getByText('pinned', { exact: true });
    await expect.poll(() => tag.count(), PATIENCE).toBe(0);
    await choose('More', 'Keep its files permanently');
    await tag.waitFor();
    expect(await read(batch)).toMatchObject({ pinned: true });
    await page.reload();
    await visitor.settled();
    await tag.waitFor();
    await choose('More', 'Allow removal of its files');
    await tag.waitFor({ state: 'detached' });
    expect(await read(batch)).toMatchObject({ pinned: false });
  });

  it('a run is deleted, then its batch, and both are gone', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 404/);
    const batch = await service.submit({ experiment: 'late', repetitions: 1 });
    const [run] = await service.ended(batch);
    await visitor.open(`/runs/${run.id}`);
    await choose('More actions', 'Delete this run …', 'Keep it');
    expect(await service.runs(batch)).toHaveLength(3);
    await choose('More actions', 'Delete this run …');
    await confirm().click();
    await page.waitForURL(`**/batches/${batch}`);
    expect((await service.runs(batch)).map(({ id }) => id)).not.toContain(run.id);

    await visitor.settled();
    await choose('More', 'Delete');
    await confirm().click();
    await page.waitForURL('**/batches');
    await visitor.settled();
    await page.getByText(`Batch ${batch} is deleted`).waitFor();
    expect(await read(batch)).toBeUndefined();
    await expect.poll(() => page.getByRole('link', { name: `batch ${batch}` }).count(), PATIENCE).toBe(0);
    await page.goto(`/batches/${batch}`);
    await page.getByRole('heading', { name: 'No such batch' }).waitFor();
  });

  it('a link that others are made of stays, and goes when they have gone', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 40[49]/);
    const there = async () => {
      const { data } = await service.api.GET('/api/v1/links', { params: { query: { origin: 'own' } } });
      return data?.items.map(({ name }) => name);
    };
    await visitor.open('/profiles/links/view/late');
    await choose('Delete');
    await confirm().click();
    const refused = page.getByRole('dialog', { name: 'late was not deleted' });
    await refused.getByText('Other files use it').waitFor();
    expect(await there()).toEqual(['late']);
    await page.keyboard.press('Escape');
    await refused.waitFor({ state: 'detached' });

    await visitor.open('/experiments/view/late');
    await choose('Delete');
    await confirm().click();
    await page.waitForURL('**/experiments');
    await visitor.open('/profiles/links/view/late');
    await choose('Delete');
    await confirm().click();
    await page.waitForURL('**/profiles/links');
    expect(await there()).toEqual([]);
  });

  it('the tables of a link are managed by fields, and saved with it', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new?from=gprs');
    await page.getByRole('textbox', { name: 'Name' }).first().fill('managed');
    const queue = page.getByRole('group', { name: 'Queue, both' });
    await queue.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'CoDel', exact: true }).click();
    const target = queue.getByRole('textbox', { name: 'Target' });
    await target.fill('soon');
    await expect.poll(() => target.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await target.fill('20 ms');
    await expect.poll(() => target.getAttribute('aria-invalid'), PATIENCE).not.toBe('true');
    await page.getByRole('switch', { name: /^Mark ECN-capable packets/ }).check();
    await page.getByRole('button', { name: 'Remove: Link-layer retransmission, both' }).click();
    await page.getByRole('button', { name: 'Add to the link layer' }).click();
    await page.getByRole('menuitem', { name: /^Channel allocation/ }).click();
    const allocation = page.getByRole('group', { name: 'Channel allocation, both' });
    await allocation.getByRole('textbox', { name: 'Idle after' }).fill('5 s');
    await allocation.getByRole('textbox', { name: 'Delay' }).fill('2 s');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/with CoDel for a wait of 20 ms over 100 ms, which marks where it can/)
      .first()
      .waitFor();
    // The words stand there before the link is saved, as its preview.
    const saved = async () => {
      const path = { name: 'managed' };
      const { data } = await service.api.GET('/api/v1/links/{name}', { params: { path } });
      return data?.toml ?? '';
    };
    await expect
      .poll(saved, PATIENCE)
      .toMatch(/queue\s*= \{ kind = "codel".*target = "20 ms".*ecn = true \}/);
    const toml = await saved();
    expect(toml).toMatch(/allocation\s*= \{ idle_after = "5 s", delay = "2 s" \}/);
    expect(toml).not.toContain('arq');
  });
});
