import { describe, expect, it } from 'vitest';

import { draw } from './drawing';
import { faults } from './looks';
import { PATIENCE } from './service';
import { serving, visiting } from './visiting';

/** A link of the user's own, with remarks of theirs, which no form is to lose. */
const OWN = `# Measured on the way to work.
title   = "On the way"
extends = "gprs"

[down]
rate = "1 Mbit/s"   # the best of three

[[script]]
at  = "10 s"
for = "3 s"         # a lift
do  = "hold"
`;

/** A link is made in a form with its timeline; its text is the other tab. */
describe('the form of a link', () => {
  const service = serving({ workers: 1 });
  const visitor = visiting(() => service.url, { viewport: { width: 1440, height: 900 } });
  const field = (group: string | RegExp, name: string) =>
    visitor.page.getByRole('group', { name: group }).getByRole('textbox', { name });
  const choose = (mode: 'Form' | 'TOML') =>
    visitor.page.getByRole('radiogroup', { name: 'How to edit' }).getByText(mode).click();
  const editor = () => visitor.page.getByRole('textbox', { name: 'The link as TOML' });
  const text = async () => (await editor().locator('.cm-line').allTextContents()).join('\n');
  const saved = async (name: string) => {
    const { data } = await service.api.GET('/api/v1/links/{name}', { params: { path: { name } } });
    return data?.toml ?? '';
  };

  it('makes one, whose text keeps its comments, and runs nothing', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new');
    await page.getByText('Valid, but for its name').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('gprs');
    await page
      .getByRole('status')
      .getByText(/A shipped link is called gprs/)
      .waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('made');
    await page.getByRole('textbox', { name: 'Title' }).fill('Made in the form');
    await field('Rate', 'both').fill('2 Mbit/s');
    await field('Delay', 'down').fill('80 ms');
    await page.getByRole('button', { name: 'Add an impairment' }).click();
    await page.getByRole('menuitem', { name: /^Loss / }).click();
    await field('loss, impairment', 'Probability').fill('1 %');
    const lane = page.getByRole('group', { name: 'Hold', exact: true });
    await draw(page, lane, 8, 11);
    await page.getByRole('region', { name: 'Hold', exact: true }).waitFor();
    // The preview follows all of it.
    await page.getByText(/^down: 2 Mbit\/s, delay 80 ms/).waitFor();
    await page.getByText(/^loss \(.*\): 1 % of packets are lost/).waitFor();
    await page
      .getByText(/delivers nothing from 8 s/)
      .first()
      .waitFor();

    await choose('TOML');
    await expect.poll(text, PATIENCE).toContain('[[script]]');
    const toml = await text();
    expect(toml).toContain('title  = "Made in the form"');
    expect(toml).toMatch(/^rate {3}= "2 Mbit\/s"$/m);
    expect(toml).toMatch(/^delay {2}= "50 ms" {18}# one way$/m);
    expect(toml).toMatch(/\[down\]\ndelay = "80 ms"/);
    expect(toml).toMatch(/\[\[impairment\]\]\nkind\s+= "loss"\nname\s+= "loss"\non\s+= "down"/);
    expect(toml).toMatch(/at\s+= "8 s"\nfor\s+= "3 s"\ndo\s+= "hold"/);
    await page.getByText('The engine accepts it.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/profiles/links/view/made');
    expect((await saved('made')).trimEnd()).toBe(toml.trimEnd());
    const { data } = await service.api.GET('/api/v1/batches');
    expect(data?.items).toEqual([]);
  });

  it('changes one that extends another, and only what was changed', async () => {
    const { page } = visitor;
    await service.write('links', 'own', OWN);
    await visitor.open('/profiles/links/edit/own');
    // What it inherits stands in grey where nothing of its own does.
    await expect.poll(() => field('Rate', 'up').getAttribute('placeholder'), PATIENCE).toBe('13.4 kbit/s');
    await page.getByText('As gprs: droptail, limit 50000 B').waitFor();
    await field('Rate', 'down').fill('3 Mbit/s');
    const event = page.getByRole('button', { name: /^Hold 3 s, 10 s to 13 s/ });
    await event.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: /^Hold 3 s, 1\d(\.\d+)? s to/ }).waitFor();
    await page.keyboard.press('Control+z');
    await event.waitFor();
    await page.keyboard.press('Control+y');
    await event.waitFor({ state: 'detached' });
    // One way back through the whole of the link, whichever part changed.
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await event.waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect.poll(() => field('Rate', 'down').inputValue(), PATIENCE).toBe('1 Mbit/s');
    await page.getByRole('button', { name: 'Redo' }).first().click();
    await expect.poll(() => field('Rate', 'down').inputValue(), PATIENCE).toBe('3 Mbit/s');
    await page.getByRole('button', { name: 'Change here: cell-reselection' }).click();
    await field('cell-reselection, impairment', 'Length').fill('2 s');
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/profiles/links/view/own');
    const toml = await saved('own');
    expect(toml.startsWith(OWN.replace('"1 Mbit/s"', '"3 Mbit/s"'))).toBe(true);
    expect(toml.slice(OWN.length)).toMatch(/^\n\[\[impairment\]\]\n(.*\n)*length = "2 s"\n$/);
  });

  it('takes a base by its search, where Enter never saves', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('unsaved');
    const base = page.getByRole('combobox', { name: 'Extends' });
    await base.click();
    await base.fill('no-such-link');
    await page.getByText('No name or title has all of these words').waitFor();
    await base.press('Enter');
    await base.fill('gprs');
    await page.getByRole('option', { name: /^gprs/ }).first().waitFor();
    await base.press('Enter');
    await expect.poll(() => base.inputValue(), PATIENCE).toBe('gprs');
    await base.press('Enter');
    // The values that it began with do not hide those of the base.
    await expect
      .poll(() => field('Rate', 'both').getAttribute('placeholder'), PATIENCE)
      .toContain('13.4 kbit/s');
    expect(await field('Rate', 'both').inputValue()).toBe('');
    await page.getByText(/^As gprs: droptail/).waitFor();
    await page.getByText('The engine accepts it.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/profiles/links/new');
    expect(await saved('unsaved')).toBe('');
  });

  it('takes a scenario in the place of a name', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('of-a-scenario');
    const base = page.getByRole('combobox', { name: 'Extends' });
    const take = async (scenario: string) => {
      await base.click();
      await base.fill(scenario);
      await page.getByRole('option', { name: /A scenario of the QUIC network simulator/ }).waitFor();
      await base.press('Enter');
      await expect.poll(() => base.inputValue(), PATIENCE).toBe(scenario);
    };
    await take('simple-p2p --delay=15ms');
    await expect.poll(() => base.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await take('simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25');
    await expect
      .poll(() => field('Rate', 'both').getAttribute('placeholder'), PATIENCE)
      .toMatch(/^10 ?Mbit\/s|^10Mbps/);
    await page.getByText('The engine accepts it.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/profiles/links/view/of-a-scenario');
    expect(await saved('of-a-scenario')).toContain('"simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25"');
  });

  it('unfolds a part in which something became wrong', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new');
    const base = page.getByRole('combobox', { name: 'Extends' });
    await base.click();
    await base.fill('lte-drive');
    await page.getByRole('option', { name: /^lte-drive/ }).waitFor();
    await base.press('Enter');
    await page.getByText('Valid, but for its name').waitFor();
    const more = page.getByRole('button', { name: /^Recordings, replays, NAT/ });
    expect(await more.getAttribute('aria-expanded')).toBe('false');
    // Its `start` has a recording to begin in, which constant values replace.
    await field('Rate', 'both').fill('1 Mbit/s');
    await field('Delay', 'both').fill('50 ms');
    await expect.poll(() => more.getAttribute('aria-expanded'), PATIENCE).toBe('true');
    await page
      .getByText(/nothing of this link repeats/)
      .first()
      .waitFor();
  });

  it('says at a field what is wrong there, and waits for a text that is none', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/new');
    const delay = field('Delay', 'up');
    await delay.fill('soon');
    await expect.poll(() => delay.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await page.getByText('Marked at their fields; correct them to save.').waitFor();
    await delay.fill('');
    await expect.poll(() => delay.getAttribute('aria-invalid'), PATIENCE).not.toBe('true');
    await choose('TOML');
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\nevry = [\n');
    await choose('Form');
    await page.getByRole('alert').filter({ hasText: 'The form cannot show this text' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).isEnabled(), PATIENCE).toBe(true);
  });
});
