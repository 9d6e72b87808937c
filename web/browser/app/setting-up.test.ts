import { describe, expect, inject, it } from 'vitest';

import { draw } from './drawing';
import { PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** What helps, and what could stand in the way, while an experiment is set up. Nothing here is saved. */
describe('setting up an experiment', () => {
  const visitor = visiting(() => shared.url);

  const link = () => visitor.page.getByRole('combobox', { name: 'Link', exact: true });
  const lane = () => visitor.page.getByRole('group', { name: 'Hold', exact: true });

  async function begin(): Promise<void> {
    await visitor.open('/experiments/new');
    await link().fill('gprs');
    await visitor.page.getByRole('option', { name: /^gprs\s*GPRS, as early/ }).click();
  }

  it('what is called as one types stands first', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await link().fill('gprs');
    await expect
      .poll(() => page.getByRole('option').first().innerText(), PATIENCE)
      .toMatch(/^gprs\s*GPRS, as early/);
  });

  it('a scenario stands in the place of a link, and can be drawn on', async () => {
    const { page } = visitor;
    const scenario = 'blackhole --delay=15ms --bandwidth=10Mbps --queue=25 --on=5s --off=2s';
    await visitor.open('/experiments/new');
    await link().click();
    await link().fill(`  ${scenario.replace(' ', '   ')}`);
    await page.getByRole('option', { name: /A scenario of the QUIC network simulator/ }).waitFor();
    await link().press('Enter');
    await expect.poll(() => link().inputValue(), PATIENCE).toBe(scenario);
    await page.getByText(/^both directions: 10 Mbit\/s, delay 15 ms/).waitFor();
    await draw(page, lane(), 8, 11);
    const name = page.getByRole('textbox', { name: 'The link with your events is saved as' });
    await expect.poll(() => name.inputValue(), PATIENCE).toBe('blackhole-15ms-10mbps-25-5s-2s-hold-3s-at-8s');
  });

  it('keys work at once on what the mouse has drawn', async () => {
    const { page } = visitor;
    await begin();
    const drawn = await draw(page, lane(), 8, 11);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).not.toContain('8 s to 11 s');
    await page.keyboard.press('Control+z');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).toContain('8 s to 11 s');
    await page.keyboard.press('Control+z');
    await expect.poll(() => drawn.count(), PATIENCE).toBe(0);
    // What the keys were on is gone, and they work on.
    await page.keyboard.press('Control+y');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).toContain('8 s to 11 s');
  });

  it('an event behind the least time of the transfer is not taken without a word', async () => {
    const { page } = visitor;
    await begin();
    // 102,400 octets at 40.2 kbit/s.
    await page.getByText('takes at least 20.3 s').waitFor();
    const warning = page.getByRole('status').filter({ hasText: 'may come after the transfer' });
    await draw(page, lane(), 8, 11);
    await expect.poll(() => warning.count(), PATIENCE).toBe(0);
    await page.keyboard.press('Control+z');
    await draw(page, lane(), 40, 43);
    await warning.waitFor();
    await expect.poll(() => warning.innerText(), PATIENCE).toMatch(/Hold 3 s, 40 s to 43 s/);
  });

  it('who saves before the check is done leaves nothing behind that does not hold', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    const own = async () => (await fetch(`${shared.url}/api/v1/links?origin=own`)).text();
    const before = await own();
    await begin();
    await draw(page, lane(), 8, 11);
    await page.getByRole('checkbox', { name: /^sack ·/ }).check();
    await page
      .getByRole('status')
      .filter({ hasText: /^valid$/ })
      .waitFor();
    await page.getByLabel('Time limit of a run').fill('soon');
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.getByRole('status').filter({ hasText: 'not valid' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/experiments/new');
    expect(await own()).toBe(before);
  });

  it('variants are found by words and by what they do', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    // A few are suggested; all of them are a click away.
    const tahoe = page.getByRole('checkbox', { name: /^tahoe ·/ });
    expect(await tahoe.count()).toBe(0);
    await page.getByRole('button', { name: /^Show all \d+ variants/ }).click();
    await tahoe.waitFor();
    await page.getByRole('button', { name: 'Show the suggested ones only' }).click();
    await expect.poll(() => tahoe.count(), PATIENCE).toBe(0);
    await page.getByRole('checkbox', { name: /^newreno ·/ }).check();
    await page.getByRole('searchbox', { name: 'Search variants' }).fill('f-rto');
    await page.getByRole('combobox', { name: 'Recovery' }).click();
    await page.getByRole('option', { name: 'sack', exact: true }).click();
    const boxes = page.getByRole('checkbox', { name: / · / });
    await expect.poll(() => boxes.count(), PATIENCE).toBeLessThan(10);
    await page.getByRole('checkbox', { name: /^frto\+sack ·/ }).check();
    // What is chosen stays in sight, whatever is looked for.
    await expect
      .poll(() => page.getByRole('checkbox', { name: /^newreno ·/ }).isChecked(), PATIENCE)
      .toBe(true);
    await expect.poll(() => page.getByRole('checkbox', { name: /^tahoe ·/ }).count(), PATIENCE).toBe(0);
  });
});
