import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Emulated } from './emulated';
import { faults } from './looks';
import { PATIENCE_MS } from './service';
import { serving, visiting } from './visiting';

const PATIENCE = { timeout: PATIENCE_MS };

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
  const count = async (word: string) =>
    Number.parseInt((await cell(word, 'up')).replaceAll('\u202f', ''), 10);
  const button = (name: string | RegExp) => visitor.page.getByRole('button', { name, exact: true });
  const choose = async (group: string, what: string) => {
    await visitor.page.getByRole('radiogroup', { name: group }).getByText(what, { exact: true }).click();
  };
  const field = (name: string) => visitor.page.getByRole('textbox', { name, exact: true });

  it('shows what passes, as it passes', async () => {
    await visitor.open('/live-link');
    await visitor.page.getByRole('heading', { name: 'transparent stands' }).waitFor();
    expect(await cell('Rate', 'up')).toBe('no limit');
    const before = await count('Carried');
    await expect.poll(() => count('Carried'), PATIENCE).toBeGreaterThan(before);
    await expect.poll(() => cell('Carries now', 'up'), PATIENCE).toMatch(/[1-9].* bit\/s|kbit\/s/);
    expect(await faults(visitor.page)).toEqual([]);
  });

  it('lets another link stand', async () => {
    const { page } = visitor;
    await visitor.open('/live-link');
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('umts');
    await page.getByRole('option', { name: /^umts-3g/ }).click();
    await field('Seed').fill('7');
    await button('Let it stand').click();
    await page.getByRole('heading', { name: 'umts-3g stands' }).waitFor();
    expect(await cell('Rate', 'down')).toBe('384 kbit/s');
    const { data } = await service.api.GET('/api/v1/emulator');
    expect(data).toMatchObject({ link: { name: 'umts-3g' }, seed: '7' });
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
    await button('Let it stand').click();
    await page.getByRole('heading', { name: 'mine stands' }).waitFor();
    expect(await cell('Rate', 'down')).toBe('77 kbit/s');
  });

  it('holds until it is taken back, by keyboard alone', async () => {
    const { page } = visitor;
    await visitor.open('/live-link');
    await field('For').fill('');
    // Enter in a field does what the button says.
    await page.keyboard.press('Enter');
    await expect.poll(() => cell('It', 'up'), PATIENCE).toBe('holds everything');
    await expect.poll(() => count('Inside'), PATIENCE).toBeGreaterThan(1);
    const back = button(/^Take back change \d+$/);
    await back.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => cell('It', 'up'), PATIENCE).toBe('delivers');
    await page.getByText('Nothing is changed by hand').waitFor();
  });

  it('drops one way for a while, and ends by itself', async () => {
    await visitor.open('/live-link');
    await choose('What happens', 'Drop');
    await choose('Which way', 'Up');
    await field('For').fill('1 s');
    await button('Drop').click();
    await visitor.page.getByRole('status').filter({ hasText: 'drop, up' }).waitFor();
    await expect.poll(() => cell('Lost', 'up'), PATIENCE).toMatch(/outage/);
    await expect.poll(() => cell('It', 'up'), PATIENCE).toBe('delivers');
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
    expect(await field('Rate').getAttribute('aria-invalid')).toBeNull();
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
    await page.getByText('Nothing is changed by hand').waitFor();
  });

  it('says who has the link while a run has it', async () => {
    const { page } = visitor;
    const { data } = await service.api.GET('/api/v1/emulator');
    const lent = { ...data, state: 'lent', run: 'first-look, run 2' };
    await page.route('**/api/v1/emulator', (route) => route.fulfill({ json: lent }));
    await visitor.open('/live-link');
    await page
      .getByRole('status')
      .filter({ hasText: 'Run first-look, run 2 plays a link of its own' })
      .waitFor();
    expect(await button('Hold').isDisabled()).toBe(true);
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
    await page.getByRole('heading', { name: 'mine stands' }).waitFor();
  });
});
