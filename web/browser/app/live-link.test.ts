import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Emulated } from './emulated';
import { faults } from './looks';
import { PATIENCE } from './service';
import { serving, visiting } from './visiting';

/** A real emulator with a host behind it that sends all the time, watched and changed in the page. */
describe('the live link', () => {
  const emulated = new Emulated();
  beforeAll(() => emulated.begin());
  afterAll(() => emulated.end());

  const service = serving({
    workers: 1,
    get emulator() {
      return emulated.url;
    },
  });
  const visitor = visiting(() => service.url);

  /** The text beside a word of the table of both directions, down and up. */
  const cell = async (word: string, way: 'down' | 'up') => {
    const row = visitor.page
      .getByRole('table', { name: 'Both directions of the link' })
      .getByRole('row', { name: new RegExp(`^${word}\\b`) });
    return row
      .getByRole('cell')
      .nth(way === 'down' ? 0 : 1)
      .innerText();
  };
  const count = async (word: string) => Number.parseInt((await cell(word, 'up')).replaceAll(',', ''), 10);
  const button = (name: string | RegExp) => visitor.page.getByRole('button', { name, exact: true });
  const choose = async (group: string, what: string) => {
    await visitor.page.getByRole('radiogroup', { name: group }).getByText(what, { exact: true }).click();
  };
  const field = (name: string) => visitor.page.getByRole('textbox', { name, exact: true });

  it('shows what passes, as it passes', async () => {
    await visitor.open('/live-link');
    await visitor.page.getByRole('heading', { name: 'Current link: transparent' }).waitFor();
    expect(await cell('Rate', 'up')).toBe('no limit');
    const before = await count('Carried');
    await expect.poll(() => count('Carried'), PATIENCE).toBeGreaterThan(before);
    await expect.poll(() => cell('Carries now', 'up'), PATIENCE).toMatch(/[1-9].* bit\/s|kbit\/s/);
    expect(await faults(visitor.page)).toEqual([]);
  });

  it('draws rate, delay, queue and losses over time, and marks what was done', async () => {
    const { page } = visitor;
    await service.api.POST('/api/v1/emulator/changes', {
      body: { kind: 'set', direction: 'up', for: '1 s', set: { delay: '30 ms' } },
    });
    await visitor.open('/live-link');
    for (const title of ['Rate', 'Delay, one way', 'Queue', 'Lost']) {
      await page.getByRole('img', { name: new RegExp(`^${title} over the last minutes`) }).waitFor();
    }
    // The client sends all the time: what is drawn last is above zero, as the picture's words say.
    await page.getByRole('img', { name: /^Rate .* up [1-9].*bit\/s\.$/ }).waitFor();
    const done = page.getByRole('list', { name: 'What was done to the link, newest first' });
    await done
      .getByText(/^set delay 30 ms, up, for 1(\.0)? s$/)
      .first()
      .waitFor();
    const painted = () =>
      page.locator('.course canvas').evaluateAll((all) =>
        all.map((canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const pixels = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height);
          return pixels?.data.some((value) => value !== 0) ?? false;
        }),
      );
    await expect.poll(painted, PATIENCE).toEqual([true, true, true, true]);
    expect(await faults(page)).toEqual([]);
  });

  it('captures what passes, up to a limit, and hands it over', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    await visitor.open('/live-link');
    await field('Size limit').fill('1 B');
    await button('Start a capture').click();
    await expect.poll(() => field('Size limit').getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await field('Size limit').fill('1 MB');
    await field('Of each packet').fill('96 B');
    await button('Start a capture').click();
    await button(/^Stop capture \d+$/).waitFor();
    await expect.poll(() => button('Start a capture').isDisabled(), PATIENCE).toBe(true);
    const packets = async () => {
      const { data } = await service.api.GET('/api/v1/emulator/captures');
      return data?.captures[0]?.packets ?? 0;
    };
    await expect.poll(packets, PATIENCE).toBeGreaterThan(1);
    await button(/^Stop capture \d+$/).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download capture \d+$/ }).click(),
    ]);
    const file = readFileSync(await download.path());
    expect(file.subarray(0, 4).toString('hex')).toBe('0a0d0d0a');
    expect(await faults(page)).toEqual([]);
    await button(/^Delete capture \d+$/).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await button(/^Delete capture \d+$/).waitFor({ state: 'detached' });
  });

  it('lets another link stand', async () => {
    const { page } = visitor;
    await visitor.open('/live-link');
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('umts');
    await page.getByRole('option', { name: /^umts-3g/ }).click();
    await field('Seed').fill('7');
    await button('Load link').click();
    await page.getByRole('heading', { name: 'Current link: umts-3g' }).waitFor();
    await expect.poll(() => cell('Rate', 'down'), PATIENCE).toBe('384 kbit/s');
    const { data } = await service.api.GET('/api/v1/emulator');
    expect(data).toMatchObject({ link: { name: 'umts-3g' }, seed: '7' });
  });

  it('offers the planes that work, says why one does not, and loads on the one that is chosen', async () => {
    const { page } = visitor;
    const { data } = await service.api.GET('/api/v1/emulator');
    const of = (works: boolean) => ({
      ...data,
      planes: [
        { name: 'model', works: true, why: null },
        { name: 'netem', works, why: works ? null : 'the kernel has no sch_netem' },
      ],
    });
    let state = of(false);
    const asked: unknown[] = [];
    await page.route('**/api/v1/emulator', (route) => route.fulfill({ json: state }));
    await page.route('**/api/v1/emulator/link', (route) => {
      asked.push(route.request().postDataJSON());
      return route.fulfill({ json: { ...state, plane: 'netem' } });
    });
    await visitor.open('/live-link');
    const plane = page.getByRole('combobox', { name: 'Plane', exact: true });
    await page.getByText('The kernel’s netem does not work here: the kernel has no sch_netem').waitFor();
    await plane.click();
    const netem = page.getByRole('option', { name: 'The kernel’s netem' });
    await expect.poll(() => netem.getAttribute('data-combobox-disabled'), PATIENCE).toBe('true');
    await page.keyboard.press('Escape');
    expect(await faults(page)).toEqual([]);
    state = of(true);
    await visitor.open('/live-link');
    await plane.click();
    await netem.click();
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('umts');
    await page.getByRole('option', { name: /^umts-3g/ }).click();
    await button('Load link').click();
    await expect.poll(() => asked, PATIENCE).toEqual([{ name: 'umts-3g', seed: '7', plane: 'netem' }]);
    await page.unrouteAll();
  });

  it('lets a link of one’s own stand, which builds on another', async () => {
    await service.write(
      'links',
      'base',
      'title = "Base"\n[both]\nrate = "77 kbit/s"\ndelay = "5 ms"\nqueue = { kind = "droptail", limit = "9 packets" }\n',
    );
    await service.write('links', 'mine', 'title = "Mine"\nextends = "base"\n');
    const { page } = visitor;
    await visitor.open('/live-link');
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('mine');
    await page.getByRole('option', { name: /^mine/ }).click();
    await button('Load link').click();
    await page.getByRole('heading', { name: 'Current link: mine' }).waitFor();
    await expect.poll(() => cell('Rate', 'down'), PATIENCE).toBe('77 kbit/s');
  });

  it('holds until it is taken back, by keyboard alone', async () => {
    const { page } = visitor;
    await visitor.open('/live-link');
    await field('For').fill('');
    // Enter in a field does what the button says.
    await page.keyboard.press('Enter');
    await expect.poll(() => cell('State', 'up'), PATIENCE).toBe('holds everything');
    await expect.poll(() => count('Inside'), PATIENCE).toBeGreaterThan(1);
    const back = button(/^Take back change \d+$/);
    await back.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => cell('State', 'up'), PATIENCE).toBe('delivers');
    await page.getByText('No changes by hand').waitFor();
  });

  it('drops one way for a while, and ends by itself', async () => {
    await visitor.open('/live-link');
    await choose('What happens', 'Drop');
    await choose('Which way', 'Up');
    await field('For').fill('1 s');
    await button('Drop').click();
    await visitor.page.getByRole('status').filter({ hasText: 'drop, up' }).waitFor();
    await expect.poll(() => cell('Lost', 'up'), PATIENCE).toMatch(/outage/);
    await expect.poll(() => cell('State', 'up'), PATIENCE).toBe('delivers');
    expect(await cell('Lost', 'down')).not.toMatch(/outage/);
  });

  it('sets rate and loss, says what is wrong at its field, and gives the command', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    await visitor.open('/live-link');
    await choose('What happens', 'Set');
    await choose('Which way', 'Down');
    await field('For').fill('');
    await field('Rate').fill('64 kbit/s');
    await field('Loss').fill('200 %');
    await button('Set').click();
    await expect.poll(() => field('Loss').getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await expect.poll(() => field('Rate').getAttribute('aria-invalid'), PATIENCE).toBeNull();
    await field('Loss').fill('1 %');
    await page.getByText("windlull link set --rate '64 kbit/s' --loss '1 %' --on down").waitFor();
    await button('Set').click();
    await page
      .getByText(/^set rate 64 kbit\/s, loss 1 %, down/)
      .first()
      .waitFor();
    await expect.poll(() => cell('Rate', 'down'), PATIENCE).toBe('64 kbit/s');
    await choose('What happens', 'Hold');
    await button('Hold').click();
    await button('Take all back').waitFor();
    expect(await faults(page)).toEqual([]);
    await button('Take all back').click();
    await page.getByText('No changes by hand').waitFor();
  });

  it('says who has the link while a run has it', async () => {
    const { page } = visitor;
    const { data } = await service.api.GET('/api/v1/emulator');
    const lent = { ...data, state: 'lent', run: 'first-look, run 2' };
    await page.route('**/api/v1/emulator', (route) => route.fulfill({ json: lent }));
    await visitor.open('/live-link');
    await page.getByRole('status').filter({ hasText: 'Run first-look, run 2 plays its own link' }).waitFor();
    await expect.poll(() => button('Hold').isDisabled(), PATIENCE).toBe(true);
    expect(await faults(page)).toEqual([]);
  });

  it('says that the emulator does not answer, and goes on', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 503/);
    const away = { error: { code: 'unavailable', message: 'no emulator answers', problems: [] } };
    await page.route('**/api/v1/emulator', (route) => route.fulfill({ status: 503, json: away }));
    await visitor.open('/live-link');
    await page.getByRole('alert').filter({ hasText: 'No emulator answers.' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Current link: mine' }).waitFor();
  });
});
