import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';

import { faults } from './looks';
import { visiting } from './visiting';
import { PATIENCE } from './service';

const shared = inject('shared');

interface Dialogue {
  readonly name: string;
  readonly path: string;
  /** How it is opened there. */
  readonly open: (page: Page) => Promise<void>;
  /** How it is called, to everybody. */
  readonly title: string | RegExp;
  /** What is read in it, beside what every dialogue has. */
  readonly says?: RegExp;
}

const press = (key: string) => (page: Page) => page.keyboard.press(key);

/** Presses one button after another, or item of a menu that the one before opened. */
const click =
  (...names: readonly string[]) =>
  async (page: Page) => {
    for (const name of names) {
      const button = page.getByRole('button', { name, exact: true });
      await button.or(page.getByRole('menuitem', { name, exact: true })).click();
    }
  };

const DIALOGUES: readonly Dialogue[] = [
  { name: 'the palette', path: '/batches', open: press('Control+k'), title: 'Find' },
  { name: 'the keys', path: '/batches', open: press('?'), title: 'Keys' },
  {
    name: 'delete a batch',
    path: `/batches/${shared.batch}`,
    open: click('More', 'Delete'),
    title: `Delete batch ${shared.batch}?`,
  },
  {
    name: 'the priority of a batch',
    path: `/batches/${shared.batch}`,
    open: click('More', 'Change priority'),
    title: 'Priority',
  },
  {
    name: 'run again',
    path: `/batches/${shared.batch}`,
    open: click('Run again'),
    title: /^Run /,
    says: /^Measured: \d+ runs of batch \d+ took .* of disk/,
  },
  {
    name: 'delete a run',
    path: `/runs/${shared.run}`,
    open: click('More actions', 'Delete this run …'),
    title: `Delete run ${shared.run}?`,
  },
  {
    name: 'run an experiment',
    path: `/experiments/view/${shared.own.experiment}`,
    open: click('Run'),
    title: `Run ${shared.own.experiment}`,
  },
  {
    name: 'run an experiment that nobody has run here',
    path: '/experiments/view/first-look',
    open: click('Run'),
    title: 'Run first-look',
    says: /^Estimated, .*: 10 runs, about .* of disk and .* on one core\./,
  },
  {
    name: 'delete an experiment',
    path: `/experiments/view/${shared.own.experiment}`,
    open: click('Delete'),
    title: `Delete ${shared.own.experiment}?`,
  },
  {
    name: 'delete a link',
    path: `/profiles/links/view/${shared.own.link}`,
    open: click('Delete'),
    title: `Delete ${shared.own.link}?`,
  },
  {
    name: 'start over',
    path: '/experiments/new',
    open: click('Start over'),
    title: 'Start over?',
  },
  { name: 'run a paper', path: '/papers/sarolahti2003', open: click('Run all'), title: /^Run all of / },
];

/** What stands over a page, on real data: accessible, in both colours and at both widths. */
describe('a dialogue', () => {
  const visitor = visiting(() => shared.url);

  it.each(DIALOGUES)('$name', async ({ path, open, title, says }) => {
    const { page } = visitor;
    await visitor.open(path);
    await open(page);
    const dialogue = page.getByRole('dialog', { name: title });
    await dialogue.waitFor();
    if (says) await dialogue.getByText(says).waitFor();
    if (title === 'Find') await page.getByRole('option').first().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialogue.waitFor({ state: 'detached' });
  });

  it('why something was not deleted', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 409/);
    await visitor.open(`/profiles/links/view/${shared.own.link}`);
    await click('Delete')(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    const why = page.getByRole('dialog', { name: `${shared.own.link} was not deleted` });
    await why.waitFor();
    await expect.poll(() => why.innerText(), PATIENCE).toMatch(/Other files use it/);
    expect(await faults(page)).toEqual([]);
  });
});

/** The steps of the first experiment, each with what the one before has made. */
describe('the first experiment', () => {
  const visitor = visiting(() => shared.url);

  it('is accessible and fits at each of its steps', async () => {
    const { page } = visitor;
    const onward = async (button: string | RegExp, heading: string) => {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { level: 2, name: heading }).waitFor();
      await visitor.settled();
    };
    await visitor.open('/welcome');
    await page.getByRole('button', { name: 'Draw it for me' }).click();
    await onward('Go on with what I drew', '2. Run three senders on it');
    expect(await faults(page)).toEqual([]);
    await onward(/^Run \d+ simulated runs$/, '3. Watch them');
    const on = page.getByRole('button', { name: 'Why? Look into a run' });
    await on.waitFor();
    expect(await faults(page)).toEqual([]);
    await onward('Why? Look into a run', '4. Look into one run');
    await page.getByRole('link', { name: /^Open run \d+/ }).waitFor();
    expect(await faults(page)).toEqual([]);
    await onward('Go on to the comparison', '5. Compare');
    expect(await faults(page)).toEqual([]);
  });
});
