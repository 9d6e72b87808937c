import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

import { savedBy } from '../app/downloads';
import { draw } from '../app/drawing';
import { PATIENCE, PATIENCE_MS } from '../app/service';
import { visiting } from '../app/visiting';

/** What the appliance's own tests say of it (controller/tests/appliance). */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: make test-compose starts these tests`);
  return value;
}

const URL_OF_APPLIANCE = given('WINDLULL_URL');
const TOKEN = given('WINDLULL_TOKEN');

interface RunState {
  readonly id: number;
  readonly variant: string;
  readonly testbed: string;
  readonly state: string;
  readonly reason: string | null;
  readonly cached: boolean;
}

const DRAWN = 'drawn-on-the-appliance';
const OURS = ['newreno', 'sack', 'frto+sack', 'eifel+sack', 'dsack+sack', 'rack-tlp'];

describe('the appliance, in a browser', () => {
  const visitor = visiting(() => URL_OF_APPLIANCE, { viewport: { width: 1280, height: 900 } });
  const directory = mkdtempSync(join(tmpdir(), 'windlull-appliance-'));

  beforeEach(async () => {
    const { page } = visitor;
    // The browser tells of the answers of 401 before the token is given.
    visitor.expecting(/status of 401/);
    await page.goto('/');
    await page.waitForURL('**/session?back=*');
    await page.getByLabel('Token', { exact: true }).fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const chooseLink = async (name: string) => {
    await visitor.page.getByRole('combobox', { name: 'Link', exact: true }).fill(name);
    await visitor.page
      .getByRole('option', { name: new RegExp(`^${name}\\b`) })
      .first()
      .click();
  };

  /** Runs what the form says; returns the runs. */
  const ran = async (name: string): Promise<readonly RunState[]> => {
    const { page } = visitor;
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await page.getByRole('button', { name: /^Save and run|^Run/ }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    return ended();
  };

  /** Holds back what runs beside these tests, or lets it go on. */
  const background = (order: 'hold-back' | 'let-go') => execFileSync('../scripts/background.sh', [order]);

  /**
   * The runs of the batch whose page is open, when all have ended; a busy machine's invalid ones are made again, from the third
   * time on with nothing else beside them.
   */
  const ended = async (): Promise<readonly RunState[]> => {
    const { page } = visitor;
    const batch = Number(new URL(page.url()).pathname.split('/').at(-1));
    const readRuns = async () => {
      const reply = await page.request.get(`/api/v1/runs?batch=${batch}&limit=100`);
      return ((await reply.json()) as { items: RunState[] }).items;
    };
    for (let round = 1; ; round += 1) {
      await expect
        .poll(
          async () => (await readRuns()).filter(({ state }) => ['queued', 'running'].includes(state)).length,
          {
            timeout: 2 * PATIENCE_MS,
            interval: 1000,
          },
        )
        .toBe(0);
      // The last ones are returned as they are: the assertion then prints why they are invalid.
      if (round === 12 || !(await readRuns()).some(({ state }) => state === 'invalid')) return readRuns();
      if (round === 2) background('hold-back');
      await page.request.post(`/api/v1/batches/${batch}/retry`, {
        headers: { 'Content-Type': 'application/json' },
      });
    }
  };

  afterEach(() => background('let-go'));

  /** Saves a capture of the run whose page is open; what tshark says of a field of its packets. */
  const captured = async (end: string, field: string): Promise<readonly string[]> => {
    const { page } = visitor;
    const files = page.locator('details', { hasText: 'Single files' });
    await files.evaluate((element) => element.setAttribute('open', ''));
    const download = await savedBy(page, () => page.getByRole('link', { name: `Capture, ${end}` }).click());
    const path = join(directory, download.suggestedFilename());
    await download.saveAs(path);
    const output = execFileSync('tshark', ['-n', '-r', path, '-T', 'fields', '-e', field], {
      encoding: 'utf8',
    });
    return output.split('\n').filter((line) => line !== '');
  };

  it('compares six variants of ours and Linux on a link that was drawn', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await chooseLink('umts');
    await draw(page, page.getByRole('group', { name: 'Hold', exact: true }), 1, 3);
    await page.getByRole('button', { name: /^Show all \d+ variants/ }).click();
    for (const name of [...OURS, 'linux']) {
      await page.getByRole('checkbox', { name: new RegExp(`^${name.replace('+', '\\+')} ·`) }).check();
    }
    await page.getByRole('radio', { name: /^Between containers/ }).check();
    await page.getByRole('textbox', { name: 'Repetitions', exact: true }).fill('1');
    const runs = await ran(DRAWN);
    const live = runs.filter(({ testbed }) => testbed === 'compose');
    expect(live.map(({ variant, state }) => `${variant} ${state}`).sort()).toEqual(
      [...OURS, 'linux'].map((name) => `${name} done`).sort(),
    );
    const linux = live.find(({ variant }) => variant === 'linux');
    await visitor.open(`/runs/${linux?.id}`);
    await page.locator('canvas').first().waitFor();
    const sources = new Set(await captured('client', 'ip.src'));
    expect(sources).toEqual(new Set(['198.18.0.1', '198.18.0.2']));
  });

  it('runs it again with an edited mechanism, and takes nothing from before the edit', async () => {
    const { page } = visitor;
    const reply = await page.request.get(`/api/v1/batches?experiment=${DRAWN}`);
    const { items } = (await reply.json()) as { items: { id: number }[] };
    await visitor.open(`/batches/${items[0]?.id}`);
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Run\b/ })
      .click();
    await page.waitForURL((url) => url.pathname !== `/batches/${items[0]?.id}`);
    const runs = await ended();
    expect(runs.map(({ testbed, variant, state }) => `${testbed} ${variant} ${state}`).sort()).toEqual(
      [...OURS.flatMap((name) => [`compose ${name} done`, `sim ${name} done`]), 'compose linux done'].sort(),
    );
    expect(runs.filter(({ cached }) => cached)).toEqual([]);
    await page.getByText(/with changes since commit [0-9a-f]{12} \(sources [0-9a-f]+\)/).waitFor();
    await expect.poll(() => page.getByText(/had results already/).count(), PATIENCE).toBe(0);
  });

  it('runs commands of own containers, and shows what came of them', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await chooseLink('umts');
    await page.getByRole('checkbox', { name: /^linux ·/ }).check();
    await page.getByRole('radio', { name: 'Commands in containers of your own' }).check();
    await page
      .getByRole('textbox', { name: 'The client runs' })
      .fill("sh -c 'curl -sS -o /dev/null http://{server}:8080/100k; echo fetched'");
    await page.getByRole('radio', { name: /^Between containers/ }).check();
    await page.getByRole('textbox', { name: 'Repetitions', exact: true }).fill('1');
    const runs = await ran('by-command-on-the-appliance');
    // As one text, so that a failure prints the reason.
    expect(
      runs.map(({ variant, state, reason }) => `${variant} ${state} ${reason ?? ''}`.trim()).join('\n'),
    ).toBe('linux done');
    await visitor.open(`/runs/${runs[0]?.id}`);
    await page.getByText(/^At the client: exit code 0, after /).waitFor();
    await page
      .getByRole('region', { name: /Standard output of the client/ })
      .getByText('fetched')
      .waitFor();
    await page.getByRole('img', { name: /^Delay on the link over time/ }).waitFor();
    await page.locator('.ts-stage').first().waitFor();
    for (const end of ['server', 'client']) {
      const ports = await captured(end, 'tcp.dstport');
      await expect.poll(() => ports.includes('8080'), PATIENCE).toBe(true);
    }
    // Both of the link's devices, and both ways at them: what came to the link, and what it sent.
    const ports = await captured('emulator', 'tcp.dstport');
    expect(ports).toContain('8080');
    expect(new Set(await captured('emulator', 'frame.interface_id'))).toEqual(new Set(['0', '1']));
    expect(new Set(await captured('emulator', 'frame.packet_flags_direction')).size).toBe(2);
    await page.screenshot({ path: join(tmpdir(), 'windlull-by-command.png'), fullPage: true });
  });
});
