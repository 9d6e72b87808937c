import { describe, expect, it } from 'vitest';

import { faults } from './looks';
import { serving, visiting } from './visiting';

/** A link of the user's own that is of a family because what it builds on is. */
const OWN = 'title = "GPRS at night"\ndescription = "Nobody else is awake"\nextends = "gprs"\n';

/** Links by family, what each does, and what one flow gets through it. */
describe('the library of links', () => {
  const service = serving({ workers: 1 });
  const visitor = visiting(() => service.url, { viewport: { width: 1280, height: 900 } });
  const row = (name: string) => visitor.page.getByRole('article', { name, exact: true });

  it('has families, of which one can be chosen, and is searched by words', async () => {
    await service.write('links', 'night', OWN);
    const { page } = visitor;
    await visitor.open('/profiles/links');
    await page.getByText(/^GPRS, 3G and HSPA · \d/).click();
    await page.waitForURL('**/profiles/links?family=2g-3g');
    // The address changes first, and all links are there until the page follows.
    await row('lte-good').waitFor({ state: 'detached' });
    await row('night').waitFor();
    await row('hspa').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['GPRS, 3G and HSPA']);
    await page.getByRole('searchbox', { name: 'Search links' }).fill('awake nobody');
    await page.getByRole('status').getByText('1 link').waitFor();
    await row('night').getByText('It does not say where its numbers come from.').waitFor();
    await page.getByRole('searchbox', { name: 'Search links' }).fill('codecs qian');
    await page.getByRole('heading', { name: 'No such link' }).waitFor();
  });

  it('draws what a link does where it is seen, and says where the numbers come from', async () => {
    await visitor.open('/profiles/links?q=hspa+idle');
    await row('hspa').getByText('Qian et').waitFor();
    await row('hspa')
      .getByRole('img', { name: /^Rate and delay over 60 s\. .*6\.19 Mbit\/s/ })
      .waitFor();
    await visitor.open('/profiles/links?family=paper');
    await row('gurtov2003').getByRole('img').waitFor();
    // What is far below has not been asked for.
    expect(await row('wen2010-spurious').getByRole('img').count()).toBe(0);
  });

  it('measures one flow when asked, and has it for the next who comes', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links?family=2g-3g');
    await page.getByText(/one simulated run of one-flow: modern, .* 60 s, .* seed 1\./).waitFor();
    await page.getByRole('button', { name: 'Measure one flow through gprs', exact: true }).click();
    await row('gprs').getByRole('term').filter({ hasText: 'Goodput' }).waitFor();
    const { data } = await service.api.GET('/api/v1/flows');
    const flow = data?.items.find(({ link }) => link === 'gprs');
    // What gprs carries down at most, by its file.
    expect(flow?.measured?.goodput_bps).toBeGreaterThan(0);
    expect(flow?.measured?.goodput_bps).toBeLessThan(40_200);
    const other = await visitor.another();
    await other.open('/profiles/links/view/gprs');
    await other.page.getByRole('link', { name: `run ${flow?.run}` }).click();
    await other.page.waitForURL(`**/runs/${flow?.run}`);
    // The experiment of such a batch is no document, so that nothing leads to it; the page asks whether it is.
    other.expecting(/status of 404/);
    await other.open(`/batches/${flow?.batch}`);
    await other.page.getByText(`Batch ${flow?.batch} of one-flow/on-links`).waitFor();
    await other.page.locator('code', { hasText: 'one-flow/on-links' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'one-flow/on-links', exact: true }).count()).toBe(0);
    await other.leave();
  });

  it('measures all links that are shown at once', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links?family=fixed');
    await page.getByRole('button', { name: 'Measure 3 links' }).click();
    for (const name of ['cable', 'dsl', 'fibre']) {
      await row(name).getByRole('term').filter({ hasText: 'Goodput' }).waitFor();
    }
    const { data } = await service.api.GET('/api/v1/batches');
    expect(data?.items[0]?.title).toBe('What one flow gets through 3 links');
    expect(await page.getByRole('button', { name: /^Measure/ }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
  });
});
