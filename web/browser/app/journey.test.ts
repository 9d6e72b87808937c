import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { savedBy, sha256 } from './downloads';
import { draw } from './drawing';
import { PATIENCE } from './service';
import { serving, visiting } from './visiting';

/** The way of a first user, by mouse: from an empty service to the pcap of a spurious timeout. One test goes on where the last ended. */
describe('a first experiment', () => {
  const service = serving();
  const visitor = visiting(() => service.url, { viewport: { width: 1280, height: 900 } });
  let batch = 0;
  let run = 0;

  it('is set up from nothing: GPRS, a delay of 3 s drawn on the timeline, three variants, ten repetitions', async () => {
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('heading', { name: 'Nothing has been run here yet' }).waitFor();
    await page.getByRole('link', { name: 'New experiment' }).first().click();
    await page.waitForURL('**/experiments/new');
    await visitor.settled();

    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('gprs');
    await page.getByRole('option', { name: /^gprs\s*GPRS, as early/ }).click();
    const drawn = await draw(page, page.getByRole('group', { name: 'Hold', exact: true }), 8, 11);
    await expect
      .poll(() => drawn.getAttribute('aria-label'), PATIENCE)
      .toBe('Hold 3 s, 8 s to 11 s, both directions');

    for (const name of ['newreno', 'sack', 'frto+sack']) {
      await page.getByRole('checkbox', { name: new RegExp(`^${name.replace('+', '\\+')} ·`) }).check();
    }
    await page.getByRole('textbox', { name: 'Repetitions' }).fill('10');
    await page.getByRole('textbox', { name: 'Seed' }).fill('1');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('a-first-one');
    await page.getByRole('button', { name: /^Save and run|^Run/ }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    batch = Number(new URL(page.url()).pathname.split('/').at(-1));
  });

  it('was asked for as it was drawn', async () => {
    const { data } = await service.api.GET('/api/v1/batches/{id}', { params: { path: { id: batch } } });
    expect(data).toMatchObject({ experiment: 'a-first-one', repetitions: 10, seed: '1', total: 30 });
    const { data: links } = await service.api.GET('/api/v1/links', { params: { query: { origin: 'own' } } });
    const name = links?.items[0].name ?? '';
    const { data: link } = await service.api.GET('/api/v1/links/{name}', { params: { path: { name } } });
    expect(link?.toml).toMatch(/extends\s*=\s*"gprs"/);
    expect(link?.toml).toMatch(/at\s*=\s*"8 s"/);
    expect(link?.toml).toMatch(/for\s*=\s*"3 s"/);
    expect(link?.toml).toMatch(/do\s*=\s*"hold"/);
  });

  it('is watched until it ends, without a reload', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${batch}`);
    const bar = page.getByRole('progressbar', { name: `Progress of batch ${batch}` });
    await expect.poll(() => bar.getAttribute('aria-valuemax'), PATIENCE).toBe('30');
    await page.waitForFunction(
      (name) => document.querySelector(`[aria-label="${name}"]`)?.getAttribute('aria-valuenow') === '30',
      `Progress of batch ${batch}`,
    );
    const runs = await service.ended(batch);
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: 30 }, () => 'done'));
    expect(new Set(runs.map(({ variant }) => variant))).toEqual(new Set(['newreno', 'sack', 'frto+sack']));
    await page.getByRole('table').first().waitFor();
  });

  it('gives its results behind one button', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${batch}`);
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const download = await savedBy(page, () =>
      page.getByRole('menuitem', { name: /^Results as JSON/ }).click(),
    );
    expect(download.suggestedFilename()).toMatch(/^batch-.*\.json$/);
    const answer = await fetch(`${service.url}/api/v1/batches/${batch}/results`);
    const whole = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
    expect(sha256(await download.path())).toBe(whole);
  });

  it('leads to a run, its spurious timeout, and why it was one', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${batch}`);
    await page.getByRole('button', { name: 'Every run, by variant and repetition' }).click();
    const row = page.getByRole('slider', { name: 'Repetitions of sack' });
    await row.focus();
    await row.press('Home');
    await row.press('Enter');
    await page.waitForURL(/\/runs\/\d+$/);
    await visitor.settled();
    run = Number(new URL(page.url()).pathname.split('/').at(-1));

    await page.getByRole('radiogroup', { name: 'Which episodes are listed' }).getByText('Spurious').click();
    const episode = page.getByRole('button', { name: /timeout.*: spurious/i }).last();
    await episode.click();
    await page.waitForURL(/episode=\d+/);
    expect(new URL(page.url()).searchParams.get('t')).toMatch(/^[\d.]+_[\d.]+$/);
    const story = page.getByRole('article', { name: /^Episode \d+/ });
    await story.waitFor();
    await expect.poll(() => story.innerText(), PATIENCE).toMatch(/spurious/i);
    await story
      .getByRole('button', { name: /^Show .* in the diagram/ })
      .first()
      .click();
    await page.waitForURL((url) => url.searchParams.has('t'));

    // The diagram says the same of the same timeout.
    const stage = page.locator('.ts-stage').first();
    await stage.press('0');
    await stage.press('t');
    await page
      .getByText(/^Timeout \d/)
      .first()
      .waitFor({ state: 'attached' });
  });

  it('is compared: diagrams, verdicts, box plots, a gate', async () => {
    const { page } = visitor;
    await visitor.open(`/batches/${batch}`);
    await page.getByRole('link', { name: 'Compare variants' }).click();
    await page.waitForURL('**/compare');
    await visitor.settled();
    await page.locator('canvas').first().waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: 'the gate’s command' }).innerText(), PATIENCE)
      .toContain('windlull gate');
    const baseline = page.getByRole('combobox', { name: 'Baseline' });
    const before = await baseline.inputValue();
    await baseline.click();
    await page.getByRole('option', { name: 'F-RTO with SACK' }).click();
    await page.waitForURL((url) => url.searchParams.get('v') === 'frto+sack');
    await expect.poll(() => baseline.inputValue(), PATIENCE).toBe('F-RTO with SACK');
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has('v'));
    await expect.poll(() => baseline.inputValue(), PATIENCE).toBe(before);
  });

  it('gives the right pcap, and a capsule that can be brought back', async () => {
    const { page } = visitor;
    await visitor.open(`/runs/${run}`);
    const answer = await service.api.GET('/api/v1/runs/{id}', { params: { path: { id: run } } });
    const facts = answer.data;
    if (!facts) throw new Error('there is no such run');
    const save = async (name: RegExp): Promise<string> => {
      const download = await savedBy(page, () => page.getByRole('link', { name }).click());
      const path = join(service.data, download.suggestedFilename());
      await download.saveAs(path);
      return path;
    };

    await page.getByText('Single files', { exact: true }).click();
    for (const end of ['server', 'client'] as const) {
      const pcap = await save(new RegExp(`^Capture, ${end}`));
      const named = facts.result?.files.find(({ name }) => name === `${end}.pcapng`);
      expect(sha256(pcap)).toBe(named?.sha256);
      // Its provenance is this run's, and no other's.
      const comment = provenance(pcap);
      expect(comment).toContain(`variant: ${facts.variant}`);
      expect(comment).toContain(`seed: ${facts.seed}`);
      expect(comment).toContain(`repetition: ${facts.repetition}`);
      expect(comment).toContain(`link: ${facts.link}`);
    }

    // What a tool of others reads in it are the segments that the run's numbers speak of.
    const pcap = await save(/^Capture, server/);
    const frames = tshark(pcap, [
      '-Y',
      'ip.src == 198.18.0.1 && tcp.len > 0',
      '-T',
      'fields',
      '-e',
      'tcp.seq',
    ]);
    const metrics = facts.result?.metrics ?? {};
    expect(frames.length).toBe(metrics['segments_sent']);
    const comments = tshark(pcap, [
      '-Y',
      'frame.comment contains "windlull"',
      '-T',
      'fields',
      '-e',
      'frame.comment',
    ]);
    expect(comments.length).toBe(metrics['retransmissions']);

    const capsule = await save(/^Download everything/);
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
    await page.waitForURL('**/batches');
    await visitor.settled();
    await page.locator('input[type="file"]').setInputFiles(capsule);
    await page.getByText('marked as imported').waitFor();
    await page.getByRole('link', { name: /^batch \d+$/ }).click();
    await page.waitForURL((url) => /\/batches\/\d+$/.test(url.pathname));
    const imported = Number(new URL(page.url()).pathname.split('/').at(-1));
    const [again] = await service.ended(imported);
    expect(again).toMatchObject({ variant: facts.variant, seed: facts.seed, repetition: facts.repetition });
  });

  it('is cancelled, and says so', async () => {
    const { page } = visitor;
    const endless = await service.submit({ experiment: 'bench/s3-sack', repetitions: 40, captures: false });
    await visitor.open(`/batches/${endless}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page
      .getByRole('dialog', { name: `Cancel batch ${endless}?` })
      .getByRole('button', { name: /^Cancel \d+ runs?$/ })
      .click();
    await page
      .getByText(/\d+ cancelled/)
      .first()
      .waitFor();
    const runs = await service.ended(endless);
    const cancelled = runs.find(({ state }) => state === 'cancelled');
    expect(cancelled).toBeDefined();
    await visitor.open(`/runs/${cancelled?.id ?? 0}`);
    await page.getByText('The run was cancelled').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The run was cancelled').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('The run was cancelled').waitFor();
  });

  it('outlives its controller', async () => {
    const { page } = visitor;
    // A request that meets the controller's end fails in words that tell how far it had come.
    visitor.expecting(
      /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/,
    );
    // So many that a slow browser has the page before they have ended.
    const total = 1200;
    const many = await service.submit({ experiment: 'first-look', repetitions: total / 2, captures: false });
    await visitor.open(`/batches/${many}`);
    await service.kill();
    const banner = page.getByText('The controller does not answer');
    await banner.waitFor();
    // What was known stays to be read.
    const bar = page.getByRole('progressbar', { name: `Progress of batch ${many}` });
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(total);
    await service.begin();
    await banner.waitFor({ state: 'detached' });
    await page.waitForFunction(
      ([name, all]) =>
        document.querySelector(`[aria-label="${name}"]`)?.getAttribute('aria-valuenow') === all,
      [`Progress of batch ${many}`, String(total)],
    );
    await service.ended(many);
    const { data } = await service.api.GET('/api/v1/batches/{id}', { params: { path: { id: many } } });
    expect(data?.runs['done']).toBe(total);
  });
});

/** Lines that tshark prints of a capture. */
function tshark(file: string, given: readonly string[]): string[] {
  const said = execFileSync('tshark', ['-r', file, ...given], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return said.split('\n').filter((line) => line !== '');
}

/** The comment of a capture's section (docs/capture-format.md): the option `opt_comment` of its first block. */
function provenance(file: string): string {
  const bytes = readFileSync(file);
  if (bytes.readUInt32LE(0) !== 0x0a0d0d0a) throw new Error('no pcapng');
  const end = bytes.readUInt32LE(4) - 4;
  for (let at = 24; at + 4 <= end;) {
    const code = bytes.readUInt16LE(at);
    const length = bytes.readUInt16LE(at + 2);
    if (code === 1) return bytes.subarray(at + 4, at + 4 + length).toString('utf8');
    at += 4 + Math.ceil(length / 4) * 4;
  }
  throw new Error('the section has no comment');
}
