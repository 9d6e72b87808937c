import { readFileSync } from 'node:fs';

import { describe, expect, inject, it } from 'vitest';

import { savedBy } from './downloads';
import { PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** Three variants, five repetitions each. */
describe('the runs of a batch', () => {
  const visitor = visiting(() => shared.url);
  const table = () => visitor.page.getByRole('table', { name: 'Runs of this batch' });
  const column = async (name: RegExp): Promise<string[]> => {
    const heads = await table().getByRole('columnheader').allInnerTexts();
    const at = heads.findIndex((head) => name.test(head));
    expect(at).toBeGreaterThan(0);
    return table()
      .locator(`tbody tr td:nth-child(${at + 1})`)
      .allInnerTexts();
  };
  const open = async (more = '') => {
    await visitor.open(`/batches/${shared.batch}?tab=runs${more}`);
    await table().waitFor();
    await table()
      .getByRole('button', { name: /^Elapsed time/ })
      .waitFor();
  };

  it('are sorted by what they measured, in either direction, and the address has it', async () => {
    const { page } = visitor;
    await open();
    const sort = table().getByRole('button', { name: /^Elapsed time/ });
    const values = async () => (await column(/^Elapsed time/)).map(Number.parseFloat);
    await sort.click();
    await page.waitForURL((url) => url.searchParams.get('by') === 'elapsed_s');
    await expect.poll(async () => (await values()).length, PATIENCE).toBe(15);
    await expect.poll(async () => isSorted(await values()), PATIENCE).toBe(true);
    await sort.click();
    await page.waitForURL((url) => url.searchParams.get('by') === '-elapsed_s');
    await expect.poll(async () => isSorted((await values()).reverse()), PATIENCE).toBe(true);
    await sort.click();
    await page.waitForURL((url) => !url.searchParams.has('by'));
  });

  it('are searched and filtered, and given as CSV as they are shown', async () => {
    const { page } = visitor;
    await open('&variant=sack');
    await expect.poll(async () => (await column(/^Variant/)).length, PATIENCE).toBe(5);
    const seeds = await column(/^Seed/);
    expect(new Set(seeds).size).toBe(5);
    await page.getByRole('searchbox', { name: 'Search runs' }).fill(seeds[2]);
    await expect.poll(() => column(/^Seed/), PATIENCE).toEqual([seeds[2]]);
    const download = await savedBy(page, () => page.getByRole('button', { name: 'These as CSV' }).click());
    const [head, line, rest] = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(head).toMatch(/^run,variant,link,testbed,repetition,seed,state,reason,elapsed_s,/);
    expect(line.split(',')).toContain(seeds[2]);
    expect(rest).toBe('');
  });

  it('are told with their units, each in one line', async () => {
    const { page } = visitor;
    await open();
    expect(await column(/^Goodput/)).toEqual(Array(15).fill(expect.stringMatching(/^[\d.]+ [kM]?bit\/s$/)));
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const badges = table().locator('tbody .mantine-Badge-label');
      await expect
        .poll(() =>
          badges.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
        )
        .toBe(0);
      const moments = table().locator('tbody time');
      expect(await moments.count()).toBe(15);
      expect(
        await moments.evaluateAll((all) => all.filter((one) => one.getClientRects().length > 1).length),
      ).toBe(0);
    }
  });

  it('are selected together; what cannot be done to them is not offered', async () => {
    const { page } = visitor;
    await open('&variant=sack');
    await table().getByRole('checkbox', { name: 'Select all 5 runs' }).check();
    const group = page.getByRole('group', { name: 'Selected runs' });
    await group.getByText('5 runs selected').waitFor();
    expect(await group.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    expect(await group.getByRole('button', { name: 'Try again' }).isDisabled()).toBe(true);
    expect(await group.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(false);
    await table()
      .getByRole('checkbox', { name: /^Select run/ })
      .first()
      .uncheck();
    await group.getByText('4 runs selected').waitFor();
  });
});

const isSorted = (values: readonly number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]);
