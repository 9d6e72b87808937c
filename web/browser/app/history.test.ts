import { describe, expect, it } from 'vitest';

import { faults } from './looks';
import { LINK } from './seed';
import { serving, visiting } from './visiting';

/** What documents said before, in a service of its own. One test goes on where the last ended. */
describe('the history of a link', () => {
  const service = serving({ workers: 1 });
  const visitor = visiting(() => service.url);
  const read = async () =>
    (await service.api.GET('/api/v1/links/{name}', { params: { path: { name: 'my/late' } } })).data;

  it('has each save, and what it changed', async () => {
    const { page } = visitor;
    await service.write('links', 'my/late', LINK);
    await visitor.open('/profiles/links/edit/my/late');
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('TOML').click();
    const text = page.getByRole('textbox', { name: 'The link as TOML' });
    await text.press('ControlOrMeta+Home');
    await page.keyboard.type('# Measured in the tunnel.\n');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The link my/late is saved').waitFor();
    await page.getByRole('link', { name: 'History', exact: true }).click();
    const row = page.getByRole('table', { name: 'Revisions' }).getByRole('row');
    await row.filter({ hasText: 'changed: 1 line added' }).waitFor();
    expect(await row.count()).toBe(3);
    await page.locator('[data-change="added"]', { hasText: '+ # Measured in the tunnel.' }).waitFor();
    expect(await page.locator('[data-change="removed"]').count()).toBe(0);
    expect(await faults(page)).toEqual([]);
  });

  it('brings an earlier revision back, and loses nothing by it', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/history/my/late');
    await page.getByRole('button', { name: 'Restore revision 1', exact: true }).click();
    await page.getByText('my/late has the text of revision 1 again, as revision 3').waitFor();
    await page.getByText('revision 1 restored: 1 line removed').waitFor();
    expect(await read()).toMatchObject({ toml: LINK, revision: 3 });
    await page.getByRole('combobox', { name: 'Compared with' }).click();
    await page.getByRole('option', { name: 'Revision 1', exact: true }).click();
    await page.getByText('Both have the same text.').waitFor();
  });

  it('brings back what was deleted, until that is deleted for good', async () => {
    const { page } = visitor;
    // The events may tell of it before the page is left, which then asks for what is gone.
    visitor.expecting(/status of 404/);
    const confirm = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    };
    await visitor.open('/profiles/links/view/my/late');
    await confirm('Delete');
    await page.getByText('The link my/late is deleted').waitFor();
    await visitor.open('/profiles/links?origin=deleted');
    await page.getByText('1 deleted link', { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore my/late', exact: true }).click();
    await page.getByText('0 deleted links', { exact: true }).waitFor();
    expect(await read()).toMatchObject({ toml: LINK, revision: 5 });

    await visitor.open('/profiles/links/view/my/late');
    await confirm('Delete');
    await page.getByText('The link my/late is deleted').waitFor();
    await visitor.open('/profiles/links/view/my/late');
    await page.getByRole('link', { name: 'its history', exact: true }).click();
    await page.getByText('It was deleted. Restore one of its revisions').waitFor();
    await confirm('Delete for good');
    await page.getByRole('heading', { name: 'Nothing is kept of a link of this name' }).waitFor();
  });

  it('says why a revision cannot be restored', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    await service.write('links', 'base', LINK);
    await service.write('links', 'on-it', 'title = "On it"\nextends = "base"\n');
    const everything = { header: { 'If-Match': '*' } };
    await service.api.PUT('/api/v1/links/{name}', {
      params: { path: { name: 'on-it' }, ...everything },
      body: { toml: LINK },
    });
    await service.api.DELETE('/api/v1/links/{name}', { params: { path: { name: 'base' }, ...everything } });
    await visitor.open('/profiles/links/history/on-it');
    await page.getByRole('button', { name: 'Restore revision 1', exact: true }).click();
    const dialogue = page.getByRole('dialog', { name: 'on-it was not restored' });
    await dialogue.getByText(/base/).first().waitFor();
  });
});
