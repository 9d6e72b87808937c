import { createHash } from 'node:crypto';

import type { Locator } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';

import { savedBy, sha256 } from './downloads';
import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** More presses of Tab than any page has places. */
const MOST_TABS = 250;

/** The way of a first user who has no mouse. Nothing here is focused or clicked but by keys. */
describe('without a mouse', () => {
  const visitor = visiting(() => shared.url);
  // One test goes on where the last ended.
  let batch = 0;
  let run = 0;

  it('an experiment is set up, drawn, run, and its timeout found', async () => {
    const { page } = visitor;
    await goTo('New experiment');
    await page.waitForURL('**/experiments/new');
    await visitor.settled();

    const link = page.getByRole('combobox', { name: 'Link', exact: true });
    await tabTo(link);
    await page.keyboard.type('gprs early');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => link.inputValue(), PATIENCE).toBe('gprs');

    await tabTo(page.getByRole('button', { name: 'Add event' }));
    await page.keyboard.press('Enter');
    const fresh = page.getByRole('region', { name: 'New event' });
    await fresh.waitFor();
    await write('8 s');
    await tabTo(fresh.getByLabel('Lasts'));
    await write('3 s');
    await page.keyboard.press('Enter');
    const drawn = page.getByRole('group', { name: 'Hold', exact: true }).getByRole('button');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).toContain('Hold 3 s, 8 s to 11 s');
    await expect.poll(() => isFocused(drawn), PATIENCE).toBe(true);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).not.toContain('8 s to 11 s');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => drawn.getAttribute('aria-label'), PATIENCE).toContain('8 s to 11 s');

    for (const name of [/^newreno ·/, /^sack ·/]) {
      const box = page.getByRole('checkbox', { name });
      if (await box.isChecked()) continue;
      await tabTo(box);
      await page.keyboard.press('Space');
    }
    await tabTo(page.getByRole('textbox', { name: 'Repetitions' }));
    await write('2');
    await tabTo(page.getByRole('button', { name: 'Save and run' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/batches\/\d+$/);
    batch = Number(new URL(page.url()).pathname.split('/').at(-1));
    await page
      .getByText(/all 4 runs? done|4 done|4 of 4/i)
      .first()
      .waitFor();

    await page.reload();
    await visitor.settled();
    await tabTo(page.getByRole('button', { name: 'Every run, by variant and repetition' }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('slider', { name: 'Repetitions of sack' }));
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/\d+$/);
    run = Number(new URL(page.url()).pathname.split('/').at(-1));
    await visitor.settled();
    await page.getByRole('list', { name: 'Episodes' }).waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(/episode=1/);
    await page.getByRole('article', { name: /^Episode 1/ }).waitFor();
    await tabTo(page.locator('.ts-stage').first());
    await page.keyboard.press('t');
    await expect
      .poll(() => page.locator('.ts-spoken').first().textContent(), PATIENCE)
      .toMatch(/^Timeout \d/);
  });

  it('its variants are compared', async () => {
    const { page } = visitor;
    await goTo(`batch ${batch}`);
    await page.waitForURL(`**/batches/${batch}`);
    await visitor.settled();
    await tabTo(page.getByRole('link', { name: 'Compare variants' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/compare');
    await visitor.settled();

    const baseline = page.getByRole('combobox', { name: 'Baseline' });
    await tabTo(baseline);
    const before = await baseline.inputValue();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="option"]').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('v'));
    await expect.poll(() => baseline.inputValue(), PATIENCE).not.toBe(before);

    await tabTo(page.locator('.ts-stage').first());
    await page.keyboard.press('t');
    await expect
      .poll(() => page.locator('.ts-spoken').first().textContent(), PATIENCE)
      .toMatch(/: Timeout \d/);
    await page.keyboard.press('o');
    await page.waitForURL(/way=stacked/);
    await page.locator('.ts-stage').nth(1).waitFor();

    await tabTo(page.getByRole('textbox', { name: 'Rule' }));
    await write('elapsed_s.median > 2 * baseline');
    await expect
      .poll(() => page.getByRole('group', { name: 'the gate’s command' }).innerText(), PATIENCE)
      .toContain('elapsed_s.median > 2 * baseline');
  });

  it('the pcap and the capsule are downloaded', async () => {
    const { page } = visitor;
    await goTo(`run ${run}`);
    await page.waitForURL(`**/runs/${run}`);
    await visitor.settled();
    const save = async (name: RegExp) => {
      await tabTo(page.getByRole('link', { name }));
      const download = await savedBy(page, () => page.keyboard.press('Enter'));
      // The service gives the name: the run, its variant, its repetition, and what it is.
      expect(download.suggestedFilename()).toMatch(new RegExp(`^run-${run}-\\w+-001`));
      return sha256(await download.path());
    };
    const { data } = await apiOf(shared.url).GET('/api/v1/runs/{id}', { params: { path: { id: run } } });
    const kept = new Map(data?.result?.files.map((file) => [file.name, file.sha256]));

    const capsule = await fetch(`${shared.url}/api/v1/runs/${run}/capsule`);
    const whole = createHash('sha256').update(Buffer.from(await capsule.arrayBuffer()));
    expect(await save(/^Download everything/)).toBe(whole.digest('hex'));
    await tabTo(page.locator('summary', { hasText: 'Single files' }));
    await page.keyboard.press('Enter');
    for (const end of ['server', 'client']) {
      expect(await save(new RegExp(`^Capture, ${end}`))).toBe(kept.get(`${end}.pcapng`));
    }
  });

  /** Goes from the first page to what has this name; the letters are typed on after the keys that open the palette. */
  async function goTo(what: string): Promise<void> {
    const { page } = visitor;
    await visitor.open('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(what);
    await page.getByRole('option', { name: new RegExp(`^${what}$`, 'i'), selected: true }).waitFor();
    await page.keyboard.press('Enter');
  }

  /** Presses Tab until the focus is there, and sees that one can see it. */
  async function tabTo(place: Locator): Promise<void> {
    const { page } = visitor;
    await place.waitFor({ state: 'attached' });
    for (let i = 0; i < MOST_TABS; i++) {
      await page.keyboard.press('Tab');
      if (!(await isFocused(place))) continue;
      await seen(place);
      return;
    }
    throw new Error(`Tab never comes to ${place.toString()}`);
  }

  function isFocused(place: Locator): Promise<boolean> {
    return place.evaluate((element) => element === document.activeElement);
  }

  /** The place looks otherwise when it has the focus. */
  async function seen(place: Locator): Promise<void> {
    const { page } = visitor;
    // What is still to come on the page would move it.
    await visitor.settled();
    await place.scrollIntoViewIfNeeded();
    const box = await place.boundingBox();
    if (!box) throw new Error(`${place.toString()} is not to be seen`);
    const clip = {
      x: Math.max(0, box.x - 6),
      y: Math.max(0, box.y - 6),
      width: Math.min(box.width, 400) + 12,
      height: Math.min(box.height, 300) + 12,
    };
    const picture = () => page.screenshot({ clip, animations: 'disabled' });
    const focused = await picture();
    await place.evaluate((element) => {
      (element as HTMLElement).blur();
    });
    const left = await picture();
    await place.evaluate((element) => {
      (element as HTMLElement).focus({ preventScroll: true });
    });
    expect(focused.equals(left), `the focus on ${place.toString()} is not to be seen`).toBe(false);
  }

  /** Writes in place of what stands in the field that has the focus. */
  async function write(text: string): Promise<void> {
    await visitor.page.keyboard.press('Control+a');
    await visitor.page.keyboard.type(text);
  }
});
