import { beforeAll, describe, expect, inject, it } from 'vitest';

import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

const GROUND = `title       = "What several have in common"
base        = true
link        = "late"
variants    = ["sack", "frto+sack"]
workload    = "bulk-100-kib-down"
repetitions = 30
time_limit  = "10 min"

[[claim]]
id       = "ground"
text     = "F-RTO is faster with SACK"
metric   = "elapsed_s"
left     = "frto+sack"
relation = "<"
right    = "sack"
`;

const UPON = `# What differs from the others.
title   = "One of several"
extends = "ground"
seed    = 7          # any will do
`;

/** An experiment has what it does not say from another; the form shows which is which, and edits what it says itself. */
describe('an experiment that extends another', () => {
  const visitor = visiting(() => shared.url);
  const api = apiOf(shared.url);

  beforeAll(async () => {
    for (const [name, toml] of [
      ['ground', GROUND],
      ['upon', UPON],
    ] as const) {
      const { error } = await api.POST('/api/v1/experiments', { body: { name, toml } });
      if (error) throw new Error(JSON.stringify(error));
    }
  });

  const field = (name: string) => visitor.page.getByRole('textbox', { name, exact: true });
  const variant = (name: string) =>
    visitor.page.getByRole('checkbox', { name: new RegExp(`^${name.replace('+', '\\+')} ·`) });
  const mode = (name: string) =>
    visitor.page.getByRole('radiogroup', { name: 'How to edit' }).getByText(name).click();
  const valid = () =>
    visitor.page
      .getByRole('status')
      .filter({ hasText: /^valid$/ })
      .waitFor();
  const text = async () => (await visitor.page.locator('.cm-line').allInnerTexts()).join('\n').trim();

  it('shows what it inherits, and from where', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?edit=upon');
    await expect.poll(() => field('Repetitions').getAttribute('placeholder'), PATIENCE).toBe('30');
    await expect.poll(() => field('Repetitions').inputValue(), PATIENCE).toBe('');
    await expect
      .poll(() => field('Time limit of a run').getAttribute('placeholder'), PATIENCE)
      .toBe('10 min');
    await expect.poll(() => field('Seed').inputValue(), PATIENCE).toBe('7');
    await expect.poll(() => variant('frto+sack').isChecked(), PATIENCE).toBe(true);
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Link', exact: true }).inputValue(), PATIENCE)
      .toBe('late');
    await expect.poll(() => page.getByText('Inherited from ground').count(), PATIENCE).toBeGreaterThan(4);
    await page.getByRole('button', { name: /^Claims/ }).click();
    await page.getByRole('group', { name: 'Claim 1' }).getByText('F-RTO is faster with SACK').waitFor();
    await valid();
  });

  it('says what is changed in it, no more, and keeps its comments', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?edit=upon');
    await field('Repetitions').fill('3');
    await field('Time limit of a run').fill('20 min');
    await variant('newreno').check();
    await page.getByRole('button', { name: /^Back to 30 of ground/ }).waitFor();
    await mode('Text');
    await expect
      .poll(text, PATIENCE)
      .toBe(
        [
          '# What differs from the others.',
          'title   = "One of several"',
          'extends = "ground"',
          'variants = ["sack", "frto+sack", "newreno"]',
          'repetitions = 3',
          'seed    = 7          # any will do',
          'time_limit = "20 min"',
        ].join('\n'),
      );
    await mode('Form');
    await page.getByRole('button', { name: /^Back to 30 of ground/ }).click();
    await expect.poll(() => field('Repetitions').inputValue(), PATIENCE).toBe('');
    await field('Time limit of a run').fill('');
    await page.getByRole('button', { name: /^Back to what ground has.*: variants$/ }).click();
    await expect.poll(() => variant('newreno').isChecked(), PATIENCE).toBe(false);
    await page.getByRole('button', { name: /^Claims/ }).click();
    await page.getByRole('button', { name: 'Change claim 1' }).click();
    await page.getByRole('group', { name: 'Claim 1' }).getByRole('textbox', { name: 'Times' }).fill('0.5');
    await valid();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/experiments/view/upon');
    const saved = async () =>
      (await api.GET('/api/v1/experiments/{name}', { params: { path: { name: 'upon' } } })).data?.toml;
    expect(await saved()).toBe(`${UPON}\n[[claim]]\nid     = "ground"\nfactor = 0.5\n`);
  });

  it('may extend another, or none', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await page.getByRole('button', { name: /^Extended experiment/ }).click();
    const base = page.getByRole('combobox', { name: 'Extends' });
    await base.fill('ground');
    await page.getByRole('option', { name: /^ground/ }).click();
    await expect.poll(() => variant('sack').isChecked(), PATIENCE).toBe(true);
    await valid();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => variant('sack').isChecked(), PATIENCE).toBe(false);
    await base.fill('ground');
    await page.getByRole('option', { name: /^ground/ }).click();
    await expect.poll(() => variant('sack').isChecked(), PATIENCE).toBe(true);
    await page.getByRole('button', { name: 'Copy its values here, then remove' }).click();
    await expect.poll(() => base.inputValue(), PATIENCE).toBe('None');
    await expect.poll(() => field('Repetitions').inputValue(), PATIENCE).toBe('30');
    await valid();
    await mode('Text');
    await expect.poll(text, PATIENCE).toContain('link = "late"');
    expect(await text()).not.toContain('extends');
  });
});
