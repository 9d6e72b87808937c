import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { faults } from './looks';
import { apiOf, PATIENCE } from './service';
import { visiting } from './visiting';

const shared = inject('shared');

/** A qlog file of a data sender, of which one packet of six is lost. */
const LOG = fileURLToPath(new URL('../../../controller/tests/qlog/one-loss.sqlog', import.meta.url));

/** Captures that are brought, and those of a run: a connection is chosen, and its diagram is the run page's. */
describe('captures', () => {
  const visitor = visiting(() => shared.url);
  const directory = mkdtempSync(join(tmpdir(), 'windlull-captures-'));
  const path = (end: string) => join(directory, `${end}.pcapng`);

  beforeAll(async () => {
    for (const end of ['server', 'client'] as const) {
      const { data } = await apiOf(shared.url).GET('/api/v1/runs/{id}/captures/{end}', {
        params: { path: { id: shared.run, end } },
        parseAs: 'arrayBuffer',
      });
      if (data === undefined) throw new Error(`the run has no capture of the ${end}`);
      writeFileSync(path(end), new Uint8Array(data));
    }
    writeFileSync(path('none'), 'no capture at all');
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const choose = async (which: string, file: string) => {
    const [chooser] = await Promise.all([
      visitor.page.waitForEvent('filechooser'),
      visitor.page.getByRole('button', { name: `file: capture of ${which}` }).click(),
    ]);
    await chooser.setFiles(file);
  };

  /** A browser lets nobody but the user hand files over; these are made in the page and dropped there. */
  const dropped = (...ends: readonly string[]) =>
    visitor.page.evaluateHandle(
      (files) => {
        const given = new DataTransfer();
        for (const { name, base64 } of files)
          given.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
        return given;
      },
      ends.map((end) => ({ name: `${end}.pcapng`, base64: readFileSync(path(end)).toString('base64') })),
    );

  it('are analysed, one end alone and with the other', async () => {
    const { page } = visitor;
    await visitor.open('/captures');
    await choose('one end', path('server'));
    await page.getByRole('heading', { name: 'One TCP connection' }).waitFor();
    await page.getByRole('heading', { name: /^\d+ episodes?$/ }).waitFor();
    await page
      .getByText('Only the data sender’s capture', { exact: false })
      .or(page.getByText('Notes'))
      .first()
      .waitFor();
    // Nothing is known of the link that they crossed.
    const legend = page.getByRole('group', { name: /^Legend/ }).first();
    await legend.getByText('timeout, verdict unknown').waitFor();
    expect(await legend.getByRole('button', { name: /^(link|queue)$/ }).count()).toBe(0);
    await choose('the other end', path('client'));
    await page.getByRole('columnheader', { name: 'Both ends' }).waitFor();
    await page.locator('section[aria-label="Time-sequence diagram"] canvas').first().waitFor();
    const lost = page.getByRole('region', { name: 'Metrics' });
    await lost.waitFor();
    const episode = page.locator('.connection-episodes button').first();
    await episode.click();
    await expect.poll(() => episode.getAttribute('aria-expanded'), PATIENCE).toBe('true');
    expect(await faults(page)).toEqual([]);
    // The address says it all: opened again, it shows the same.
    await page.reload();
    await page.getByRole('columnheader', { name: 'Both ends' }).waitFor();
  });

  it('are dropped, both ends’ two at once', async () => {
    const { page } = visitor;
    await visitor.open('/captures');
    const slot = page.getByRole('region', { name: 'Capture of one end', exact: true });
    await slot.dispatchEvent('drop', { dataTransfer: await dropped('server', 'client') });
    await page.getByRole('columnheader', { name: 'Both ends' }).waitFor();
    const named = new URL(page.url()).searchParams;
    expect(named.get('first')).toMatch(/^[0-9a-f]{64}$/);
    expect(named.get('second')).toMatch(/^[0-9a-f]{64}$/);
    await page.getByRole('button', { name: 'Remove it: capture of one end' }).click();
    await page.getByRole('heading', { name: 'One TCP connection' }).waitFor();
    expect(new URL(page.url()).searchParams.get('first')).toBe(named.get('second'));
  });

  it('are two at most, of two ends, and called as their files', async () => {
    const { page } = visitor;
    await visitor.open('/captures');
    const slot = (title: string) => page.getByRole('region', { name: title, exact: true });
    await slot('Capture of one end').dispatchEvent('drop', {
      dataTransfer: await dropped('server', 'client', 'none'),
    });
    await page.getByRole('alert').filter({ hasText: 'Left out: none.pcapng' }).waitFor();
    await slot('Capture of one end').getByText('server.pcapng').waitFor();
    await slot('Capture of the other end').getByText('client.pcapng').waitFor();
    // What is still being sent is lost by a reload.
    await page.waitForURL((url) => url.searchParams.has('second'));
    await page.reload();
    await slot('Capture of the other end').getByText('client.pcapng').waitFor();
    await choose('the other end', path('server'));
    await slot('Capture of the other end')
      .getByText(/^The same capture twice/)
      .waitFor();
    await slot('Capture of the other end').getByText('client.pcapng').waitFor();
  });

  it('may be a log of QUIC', async () => {
    const { page } = visitor;
    await visitor.open('/captures');
    await choose('one end', LOG);
    await page.getByRole('heading', { name: 'One QUIC connection' }).waitFor();
    await page.getByText('192.0.2.1:443 → 192.0.2.7:51200').first().waitFor();
    await page.locator('section[aria-label="Time-sequence diagram"] canvas').first().waitFor();
    await page
      .getByRole('region', { name: 'Metrics' })
      .getByText('Packets declared lost')
      .waitFor({ state: 'attached' });
    expect(await faults(page)).toEqual([]);
  });

  it('that are none are refused in words', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 422/);
    await visitor.open('/captures');
    await choose('one end', path('none'));
    await page.getByRole('alert').filter({ hasText: 'Not a capture' }).waitFor();
  });

  it('of a run with several connections show one of them', async () => {
    const { page } = visitor;
    const api = apiOf(shared.url);
    const at = { params: { path: { id: shared.run } } };
    const [run, list] = [
      await api.GET('/api/v1/runs/{id}', at),
      await api.GET('/api/v1/runs/{id}/connections', at),
    ];
    const one = list.data?.connections[0];
    if (one === undefined) throw new Error('the run has no connection');
    // A live run of a command has several; this one is made to look like that.
    await page.route(`**/api/v1/runs/${shared.run}`, (route) =>
      route.fulfill({ json: { ...run.data, testbed: 'compose' } }),
    );
    await page.route(`**/api/v1/runs/${shared.run}/connections`, (route) =>
      route.fulfill({
        json: { protocol: 'tcp', total: 2, connections: [one, { ...one, number: 2, sent_bytes: 7 }] },
      }),
    );
    await visitor.open(`/runs/${shared.run}`);
    const chooser = page.getByRole('combobox', { name: 'TCP connection (the captures have 2)' });
    await chooser.click();
    await page.getByRole('option', { name: /^1: 198\.18\.0\.1/ }).click();
    await page.getByRole('heading', { name: /^\d+ episodes?$/, level: 2 }).waitFor();
    await page.locator('section[aria-label="Time-sequence diagram"] canvas').first().waitFor();
    expect(new URL(page.url()).searchParams.get('connection')).toBe('1');
    expect(await faults(page)).toEqual([]);
  });
});
