import type { Locator } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';

import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** What cannot be right is said at its place, before anything is made of it. */
describe('bad input', () => {
  const visitor = visiting(() => shared.url);

  /** Waits until a field says that it is wrong, to everybody. */
  async function refuses(field: Locator, why: RegExp): Promise<void> {
    await expect.poll(() => field.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    const said = () =>
      field.evaluate((element) =>
        (element.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent ?? '')
          .join(' '),
      );
    await expect.poll(said, PATIENCE).toMatch(why);
  }

  /** What the service keeps of everybody's making. */
  async function stored(): Promise<unknown> {
    const api = apiOf(shared.url);
    const own = { params: { query: { origin: 'own' } } } as const;
    const lists = await Promise.all([
      api.GET('/api/v1/links', own),
      api.GET('/api/v1/workloads', own),
      api.GET('/api/v1/experiments', own),
      api.GET('/api/v1/batches'),
    ]);
    return lists.map(({ data }) => data?.items.map((item) => ('id' in item ? item.id : item.name)));
  }

  it('in the fields of a new experiment', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.getByText('Choose at least one variant; two or more to compare.').first().waitFor();

    await field('Repetitions').fill('0');
    await refuses(field('Repetitions'), /A whole number from 1 to 100,000/);
    await field('Repetitions').fill('2');
    await field('Seed').fill('-1');
    await refuses(field('Seed'), /.+/);
    await field('Seed').fill('1');
    await field('Name').fill('No Good Name');
    await refuses(field('Name'), /.+/);
    await field('Name').fill('late');
    await refuses(field('Name'), /.+/);
    await field('Name').fill('a-good-name');

    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('gprs');
    await page.getByRole('option', { name: /^gprs\s*GPRS, as early/ }).click();
    await page.getByRole('checkbox', { name: /^sack ·/ }).check();
    // What only the engine knows stands at its field, too.
    await field('Time limit of a run').fill('soon');
    await refuses(field('Time limit of a run'), /.+/);
    await page.getByRole('button', { name: 'Save and run' }).click();
    await refuses(field('Time limit of a run'), /.+/);
    expect(new URL(page.url()).pathname).toBe('/experiments/new');
  });

  it('in the numbers of a dialogue, as they were typed', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/view/late');
    await page.getByRole('button', { name: 'Run', exact: true }).first().click();
    const repetitions = page.getByRole('dialog').getByRole('textbox', { name: 'Repetitions' });
    await repetitions.pressSequentially('2.5');
    await expect.poll(() => repetitions.inputValue(), PATIENCE).toBe('2.5');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await refuses(repetitions, /A whole number from 1 to 100,000/);
  });

  it('in the name of a profile that was shipped, before it is saved', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new?from=gprs');
    const name = page.getByRole('textbox', { name: 'Name' }).first();
    await name.fill('edge');
    await refuses(name, /shipped link is called edge/);
    await name.fill('late');
    await refuses(name, /link called late already/);
    await name.fill('edge-of-mine');
    await expect.poll(() => name.getAttribute('aria-invalid'), PATIENCE).not.toBe('true');
  });

  it('in the claims of a new experiment', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?from=late');
    await page.getByRole('button', { name: /^Claims/ }).click();
    await page.getByRole('button', { name: 'Add a claim' }).click();
    const claim = page.getByRole('group', { name: 'Claim 1' });
    await claim.getByRole('textbox', { name: 'Times' }).pressSequentially('0.05');
    await expect
      .poll(() => claim.getByRole('textbox', { name: 'Times' }).inputValue(), PATIENCE)
      .toBe('0.05');
    await claim.getByRole('combobox', { name: 'Against' }).click();
    await page.getByRole('option', { name: 'a number' }).click();
    await claim.getByRole('textbox', { name: 'Number' }).fill('few');
    await refuses(claim.getByRole('textbox', { name: 'Number' }), /.+/);
    await claim.getByRole('textbox', { name: 'Number' }).fill('2.5');
    await claim.getByRole('combobox', { name: 'Statistic' }).click();
    await page.getByRole('option', { name: 'The mean' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^valid$/ })
      .waitFor();
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Text').click();
    await page.locator('.cm-line').filter({ hasText: 'value = 2.5' }).waitFor();
  });

  it('in the numbers of an event on the timeline', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?from=late');
    await page.getByRole('button', { name: 'Add event' }).click();
    const event = page.getByRole('region', { name: 'New event' });
    await event.getByLabel('Lasts').fill('three');
    await event.getByRole('button', { name: 'Add to the timeline' }).click();
    await refuses(event.getByLabel('Lasts'), /.+/);
  });

  it('in the text of a profile, at its line', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new?from=gprs');
    const name = page.getByRole('textbox', { name: 'Name' }).first();
    await name.fill('Capital');
    await refuses(name, /capital/);
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('TOML').click();
    const editor = page.getByRole('textbox', { name: 'The link as TOML' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('title = "Mine"\nextends = "gprs"\nevry = 3\n');
    const problems = page.getByRole('list', { name: 'Problems of The link as TOML' });
    await expect.poll(() => problems.innerText().catch(() => ''), PATIENCE).toMatch(/line 3.*evry/s);
  });

  it('in the text of a new experiment, at its line, and nothing is made of it', async () => {
    const { page } = visitor;
    const before = await stored();
    await visitor.open('/experiments/new?from=late');
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Text').click();
    const write = async (...lines: readonly string[]) => {
      await page.getByRole('textbox', { name: 'The experiment as TOML' }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(lines.join('\n'));
    };
    const good = ['title = "Mine"', 'link = "late"', 'variants = ["sack"]', 'workload = "bulk-100-kib-down"'];
    const problems = page.getByRole('list', { name: 'Problems of The experiment as TOML' });
    const wrong = [
      { line: 'repetitions = "many"', why: /line 5/ },
      { line: 'repetition = 2', why: /line 5.*repetition/ },
      { line: 'repetitions = 2 2', why: /line 5/ },
    ];
    for (const { line, why } of wrong) {
      await write(...good, line, 'seed = 1');
      await expect.poll(() => problems.innerText().catch(() => ''), PATIENCE).toMatch(why);
      // The mark stands beside the same line of the text.
      const mark = page.locator('.cm-lint-marker-error');
      const fifth = page.locator('.cm-line').nth(4);
      await expect.poll(() => fifth.innerText(), PATIENCE).toBe(line);
      await expect
        .poll(async () => (await mark.boundingBox())?.y, PATIENCE)
        .toBeCloseTo((await fifth.boundingBox())?.y ?? -1, -1);
      await page
        .getByRole('status')
        .filter({ hasText: /^not valid$/ })
        .waitFor();
      await page.getByRole('button', { name: 'Save and run' }).click();
      expect(new URL(page.url()).pathname).toBe('/experiments/new');
    }
    // The form cannot show what is no TOML, and says so instead of losing it.
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Form').click();
    await page.getByRole('alert').filter({ hasText: 'The form cannot show this text' }).waitFor();
    expect(await stored()).toEqual(before);

    await write(...good, 'repetitions = 2', 'seed = 1');
    await problems.waitFor({ state: 'detached' });
    await page
      .getByRole('status')
      .filter({ hasText: /^valid$/ })
      .waitFor();
  });

  it('in a file to import a link from', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/import?of=trace');
    await page.getByLabel('File for down').setInputFiles({
      name: 'novel.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('It was a dark night\n'),
    });
    const slot = page.getByRole('region', { name: /^Down/ });
    await slot.getByRole('alert').filter({ hasText: 'novel.txt' }).waitFor();
  });

  it('in what should be a capsule', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 4(00|13|15|22)/);
    await visitor.open('/batches');
    const refused = (name: string) => page.getByRole('alert').filter({ hasText: `${name} was not imported` });
    for (const name of ['none.zip', 'neither.zip'])
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name, mimeType: 'application/zip', buffer: Buffer.from('no capsule') })
        .then(() => refused(name).waitFor());
    await expect.poll(() => refused('neither.zip').innerText(), PATIENCE).toMatch(/not a complete capsule/i);
    // The next one takes the place of what was refused.
    await expect.poll(() => refused('none.zip').count(), PATIENCE).toBe(0);
  });

  it('in an address', async () => {
    const { page } = visitor;
    for (const path of ['/runs/zero', '/batches/-1', `/runs/${shared.run}?t=a_b&episode=x&show=nothing`]) {
      await visitor.open(path);
      await expect.poll(() => page.locator('h1').count(), PATIENCE).toBe(1);
    }
    // What cannot be read of an address shows the page as at first.
    await expect.poll(() => page.getByRole('radio', { name: 'All' }).isChecked(), PATIENCE).toBe(true);
  });
});
