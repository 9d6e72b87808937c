import { describe, expect, it } from 'vitest';

import { PATIENCE } from './service';
import { serving, visiting } from './visiting';

const MEAN_KBPS = 12_800;

/**
 * A drive of 300 s with a row each second: semicolons, ISO times, rates that rise and fall about 12.8 Mbit/s, zeros where
 * there was no coverage.
 */
function drive(): string {
  const silent = (second: number) => second % 60 >= 40 && second % 60 < 45;
  const shape = Array.from({ length: 300 }, (_, second) =>
    silent(second) ? 0 : 1 + 0.4 * Math.sin(second / 7) + 0.2 * Math.sin(second / 3),
  );
  const scale = (MEAN_KBPS * shape.length) / shape.reduce((sum, one) => sum + one, 0);
  const start = Date.UTC(2026, 4, 4, 10);
  const rows = shape.map((one, second) => {
    const time = new Date(start + second * 1000).toISOString().slice(0, 19);
    return `${time};-95,5;${Math.round(one * scale)};${Math.round(one * scale * 0.3)};48`;
  });
  return ['Time;RSRP [dBm];DL throughput [kbit/s];UL throughput [kbit/s];RTT [ms]', ...rows, ''].join('\n');
}

/** The way of who comes with a drive test: one test goes on where the last ended. */
describe('a drive test', () => {
  const service = serving();
  const visitor = visiting(() => service.url, { viewport: { width: 1280, height: 900 } });
  const give = (name: string, text: string) =>
    visitor.page
      .getByLabel('Recording', { exact: true })
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

  it('becomes a link, once it is said what its zeros were', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links');
    await page.getByRole('link', { name: 'Import a recording' }).click();
    await page.waitForURL('**/profiles/links/import');
    await give('Drive.csv', drive());
    await page.getByText('12.8 Mbit/s').first().waitFor();
    await expect
      .poll(() => page.getByLabel('What DL throughput [kbit/s] has').inputValue(), PATIENCE)
      .toBe('down');
    await expect.poll(() => page.getByLabel('Unit of RTT [ms]').inputValue(), PATIENCE).toBe('ms');
    const save = page.getByRole('button', { name: 'Save link' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole('radio', { name: /^An outage/ }).check();
    await page.getByRole('heading', { name: 'The first 300 s, as the engine plays it' }).waitFor();
    await save.click();
    await page.waitForURL('**/profiles/links/view/drive');
    const { data } = await service.api.GET('/api/v1/links/{name}', { params: { path: { name: 'drive' } } });
    expect(data?.toml).toMatch(/zeros {2}= "outage"/);
    expect(data?.toml).toMatch(/start {2}= "random"/);
  });

  it('is run by two senders and compared, and a host of today uses at least 90 % of its rate', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('drive');
    await page.getByRole('option', { name: /^drive\s*Recorded: Drive\.csv/ }).click();
    await page.getByRole('combobox', { name: 'Workload', exact: true }).fill('bulk-300-s-down');
    await page.getByRole('option', { name: /^bulk-300-s-down/ }).click();
    for (const name of ['modern', 'sack']) {
      await page.getByRole('checkbox', { name: new RegExp(`^${name} ·`) }).check();
    }
    await page.getByRole('textbox', { name: 'Repetitions' }).fill('3');
    await page.getByRole('textbox', { name: 'Seed' }).fill('1');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('on-the-road');
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    const batch = Number(new URL(page.url()).pathname.split('/').at(-1));
    const runs = await service.ended(batch);
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'done'));
    await page.getByRole('link', { name: 'Compare variants' }).click();
    await page.waitForURL('**/compare');
    await visitor.settled();
    await page.locator('canvas').first().waitFor();

    const { data } = await service.api.GET('/api/v1/batches/{id}/results', {
      params: { path: { id: batch } },
    });
    const modern = data?.cells.find(({ variant }) => variant === 'modern');
    // The recording's period is the length of the transfer, so that wherever it begins all of it is met once.
    expect(modern?.metrics['goodput_bps']?.min).toBeGreaterThan(0.9 * MEAN_KBPS * 1000);
  });

  it('has its columns and units told by hand where no heading does', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/import');
    await give('plain.csv', 'a;b\n0;5\n1;6\n2;7\n');
    await page.getByLabel('What a has').selectOption('time');
    await page.getByLabel('Unit of a').selectOption('s');
    await page.getByLabel('What b has').selectOption('down');
    await page.getByLabel('Unit of b').selectOption('Mbit/s');
    await page.getByRole('textbox', { name: 'Rate up' }).fill('1 Mbit/s');
    await page.getByRole('textbox', { name: 'Delay, one way' }).fill('25 ms');
    await expect.poll(() => page.getByRole('button', { name: 'Save link' }).isEnabled(), PATIENCE).toBe(true);
    await page.getByText('6 Mbit/s').first().waitFor();
  });

  it('stays while the other form is looked at, and is not left without asking', async () => {
    const { page } = visitor;
    await visitor.open('/profiles/links/import-recording');
    await page.waitForURL('**/profiles/links/import');
    await give('plain.csv', 'time_s;DL kbit/s\n0;1\n1;2\n');
    await page.getByLabel('What DL kbit/s has').waitFor();
    await page.getByRole('tab', { name: 'Delays or a trace' }).click();
    await page.waitForURL('**/profiles/links/import?of=trace');
    await page.getByRole('navigation', { name: 'Pages above' }).getByRole('link', { name: 'Links' }).click();
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    await asked.getByRole('button', { name: 'Stay', exact: true }).last().click();
    await asked.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'A recording' }).click();
    await page.getByLabel('What DL kbit/s has').waitFor();
  });

  it('that is wrong is told with its line and column', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    await visitor.open('/profiles/links/import');
    await give('wrong.csv', 'time_s;DL kbit/s\n0;1\n1;x\n');
    await page
      .getByRole('alert')
      .filter({ hasText: /wrong\.csv, line 3, column DL kbit/i })
      .waitFor();
  });
});
