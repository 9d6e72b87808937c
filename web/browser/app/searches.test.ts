import { describe, expect, it } from 'vitest';

import { faults } from './looks';
import { EXPERIMENT, LINK } from './seed';
import { PATIENCE, until, type Schema } from './service';
import { serving, visiting } from './visiting';

/** A search from the button to what was found, in a service of its own. One test goes on where the last ended. */
describe('a search', () => {
  const service = serving();
  const visitor = visiting(() => service.url);
  let stopped = 0;
  let search = 0;
  const read = async (id: number) =>
    (await service.api.GET('/api/v1/searches/{id}', { params: { path: { id } } })).data;
  const becomes = (id: number, state: Schema<'SearchView'>['state']) =>
    until(`search ${id} is ${state}`, async () => ((await read(id))?.state === state ? true : null));

  it('is asked for in a dialogue, stopped, and gone on with', async () => {
    const { page } = visitor;
    await service.write('links', 'late', LINK);
    await service.write('experiments', 'late', EXPERIMENT);
    await visitor.open('/searches?experiment=late');
    const dialogue = page.getByRole('dialog', { name: 'New search' });
    await dialogue.getByText('Choose the variant that is to be worst.').waitFor();
    const choose = async (label: string, option: string) => {
      await dialogue.getByRole('combobox', { name: label, exact: true }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await choose('Variant', 'sack');
    await choose('Against', 'frto+sack');
    // Far more than are tried before it is stopped.
    await dialogue.getByRole('textbox', { name: 'Links to try' }).fill('50000');
    expect(await faults(page)).toEqual([]);
    await dialogue.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL(/\/searches\/\d+$/);
    stopped = Number(new URL(page.url()).pathname.split('/').at(-1));
    await becomes(stopped, 'running');
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await stop.click();
    await page.getByText(/^It was stopped/).waitFor();
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await stop.waitFor();
    await becomes(stopped, 'running');
    await stop.click();
    await page.getByText(/^It was stopped/).waitFor();
  });

  it('shows what it tries while one watches', async () => {
    const { page } = visitor;
    const { data } = await service.api.POST('/api/v1/searches', {
      body: {
        experiment: 'late',
        worst: 'elapsed',
        variant: 'sack',
        budget: 8,
        kinds: 1,
        shrink: 4,
        confirm: 2,
      },
    });
    search = data?.id ?? 0;
    await visitor.open(`/searches/${search}`);
    await page.getByText('It is done: one kind of failure.').waitFor();
    await page.getByRole('img', { name: /of each link that was tried/ }).waitFor();
    await page.getByRole('heading', { name: 'The worst link so far' }).waitFor();
    await expect.poll(() => page.locator('.ts-stage').count(), PATIENCE).toBe(1);
    expect((await read(search))?.trials).toHaveLength(8);
    expect(await faults(page)).toEqual([]);
  });

  it('gives what it found, with a diagram and all that is needed to see it again', async () => {
    const { page } = visitor;
    await visitor.open(`/searches/${search}`);
    const card = page.getByRole('article', { name: 'Finding 1', exact: true });
    await card.getByRole('link', { name: 'Capsule', exact: true }).waitFor();
    await card.getByRole('button', { name: 'Show its diagram' }).click();
    await card.locator('.ts-stage').waitFor();
    expect(await faults(page)).toEqual([]);
    await visitor.open('/searches');
    await page.getByRole('table', { name: 'Searches' }).getByText('done', { exact: true }).waitFor();
  });

  it('is deleted with all of it', async () => {
    const { page } = visitor;
    // The events may tell of it before the page is left, which then asks for what is gone.
    visitor.expecting(/status of 404/);
    for (const id of [stopped, search]) {
      await visitor.open(`/searches/${id}`);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.waitForURL('**/searches');
    }
    await page.getByText('Nothing has been searched yet').waitFor();
  });
});
