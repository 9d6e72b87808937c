import { describe, expect, inject, it } from 'vitest';

import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';
import { NARROW, WIDE } from './visitor';

const shared = inject('shared');

describe('batches', () => {
  const visitor = visiting(() => shared.url);
  const api = apiOf(shared.url);
  const params = { params: { path: { id: shared.batch } } };
  const read = async () => (await api.GET('/api/v1/batches/{id}', params)).data;

  it('are given tags and a note, and found by them', async () => {
    const { page } = visitor;
    const failed = { params: { path: { id: shared.failed.batch } } };
    await api.PATCH('/api/v1/batches/{id}', { ...failed, body: { tags: ['already known'] } });
    await visitor.open(`/batches/${shared.batch}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Tags and note' }).click();
    const dialogue = page.getByRole('dialog', { name: /^Tags and note/ });
    const tags = dialogue
      .getByRole('combobox', { name: 'Tags' })
      .or(dialogue.getByRole('textbox', { name: 'Tags' }));
    // It has the focus, and its list does not cover what stands below.
    await expect.poll(() => tags.evaluate((field) => field === document.activeElement), PATIENCE).toBe(true);
    expect(await page.getByRole('option', { name: 'already known' }).isVisible()).toBe(false);
    await tags.click();
    await page.getByRole('option', { name: 'already known' }).waitFor();
    await tags.fill('-no tag');
    await tags.press('Enter');
    await dialogue.getByText(/begins with a letter or a digit/).waitFor();
    await tags.press('Backspace');
    await tags.fill('thesis');
    await tags.press('Enter');
    await dialogue.getByRole('textbox', { name: 'Note' }).fill('as in the third chapter');
    await dialogue.getByRole('button', { name: 'Save' }).click();
    await expect.poll(read, PATIENCE).toMatchObject({ tags: ['thesis'], note: 'as in the third chapter' });
    await page.getByRole('note', { name: 'Note' }).getByText('as in the third chapter').waitFor();

    await visitor.open('/batches');
    const table = page.getByRole('table', { name: 'Batches' });
    const lines = () => table.getByRole('row').count();
    await expect.poll(lines, PATIENCE).toBeGreaterThan(2);
    await page.getByRole('searchbox', { name: 'Search batches' }).fill('third CHAPTER');
    await expect.poll(lines, PATIENCE).toBe(2);
    await page.waitForURL((url) => url.searchParams.get('q') === 'third CHAPTER');
    await visitor.open('/batches?tag=thesis');
    await expect.poll(lines, PATIENCE).toBe(2);
    // On a narrow screen there are cards, which say as much.
    await page.setViewportSize(NARROW);
    const card = page.getByRole('list', { name: 'Batches' }).getByRole('listitem');
    await card.getByText('as in the third chapter').waitFor();
    await card.getByText('late, seed 1').waitFor();
    await page.setViewportSize(WIDE);

    await api.PATCH('/api/v1/batches/{id}', { ...failed, body: { tags: [] } });
    await api.PATCH('/api/v1/batches/{id}', { ...params, body: { tags: [], note: '' } });
    await page.getByRole('heading', { name: 'No such batches' }).waitFor();
    await page.getByRole('button', { name: 'Show all batches' }).click();
    await expect.poll(lines, PATIENCE).toBeGreaterThan(2);
  });

  it('are selected together, and given a tag', async () => {
    const { page } = visitor;
    await visitor.open('/batches');
    for (const id of [shared.batch, shared.failed.batch]) {
      await page.getByRole('checkbox', { name: `Select batch ${id}`, exact: true }).check();
    }
    const group = page.getByRole('group', { name: 'Selected batches' });
    await group.getByText('2 batches selected').waitFor();
    await group.getByRole('link', { name: 'Compare', exact: true }).waitFor();
    const third = page.getByRole('checkbox', { name: `Select batch ${shared.cancelled.batch}`, exact: true });
    await third.check();
    const compare = group.getByRole('button', { name: 'Compare (choose two)' });
    expect(await compare.isDisabled()).toBe(true);
    await third.uncheck();
    await group.getByRole('textbox', { name: 'Tag for the selected batches' }).fill('draft');
    await group.getByRole('button', { name: 'Add tag' }).click();
    await page.getByText('2 batches tagged draft').waitFor();
    expect((await read())?.tags).toEqual(['draft']);
    for (const id of [shared.batch, shared.failed.batch]) {
      await api.PATCH('/api/v1/batches/{id}', { params: { path: { id } }, body: { tags: [] } });
    }
  });
});
