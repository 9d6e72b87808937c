import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';

import { faults } from './looks';
import { PATIENCE, until } from './service';
import { serving, visiting } from './visiting';

/** A place for kernels with two that no machine can start: what is asked of them comes to nothing, and is told. */
function places(): string {
  const kernels = mkdtempSync(join(tmpdir(), 'windlull-kernels-'));
  for (const [name, record] of [
    ['stock', 'release 6.12.107\nsource Debian 6.12.107-1 abc\n'],
    ['patched', 'release 6.12.107\nsource Debian 6.12.107-1 abc\npatch slower.patch 12\n'],
  ] as const) {
    mkdirSync(join(kernels, name));
    writeFileSync(join(kernels, name, 'linux'), 'no program\n');
    writeFileSync(join(kernels, name, 'record'), record);
  }
  return kernels;
}

const kernels = places();
const service = serving({ kernels });
const bare = serving({ kernels: join(kernels, 'nowhere') });

afterAll(() => {
  rmSync(kernels, { recursive: true, force: true });
});

describe('a workload of one’s own', () => {
  const visitor = visiting(() => service.url);
  const aside = () => visitor.page.getByRole('region', { name: 'What will run' });
  const holds = () =>
    aside()
      .getByRole('status')
      .filter({ hasText: /^valid$/ });
  const beside = (at: number) => visitor.page.getByRole('group', { name: `Beside it, set ${at}` });

  async function refuses(field: Locator, why: RegExp): Promise<void> {
    await expect.poll(() => field.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    const said = () => field.evaluate((one) => one.closest('.mantine-InputWrapper-root')?.textContent ?? '');
    await expect.poll(said, PATIENCE).toMatch(why);
  }

  it('of several sets, behind a link of each flow’s own, is saved and run', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=edge&variant=sack');
    await page.getByRole('combobox', { name: /^A link behind it/ }).fill('gprs');
    await page.getByRole('option', { name: /^gprs\s/ }).click();
    await page.getByRole('radio', { name: 'A new one' }).click();
    const compared = page.getByRole('group', { name: 'What is compared' });
    await compared.getByRole('textbox', { name: 'Size' }).fill('20 KiB');
    await compared.getByRole('textbox', { name: 'Flows' }).fill('2');
    await compared.getByRole('textbox', { name: 'Gap' }).fill('0.5 s');
    // What is compared has no TCP of its own.
    await expect.poll(() => compared.getByRole('combobox', { name: 'TCP' }).count(), PATIENCE).toBe(0);

    await page.getByRole('button', { name: 'Add flows' }).click();
    await beside(1).getByText('after a time').click();
    await beside(1).getByText('↑ to the server').click();
    await beside(1).getByRole('textbox', { name: 'Duration' }).fill('2.5');
    await refuses(beside(1).getByRole('textbox', { name: 'Duration' }), /has no unit/);
    await aside().getByText('The workload is not valid').waitFor();
    await beside(1).getByRole('textbox', { name: 'Duration' }).fill('2.5 s');
    await beside(1).getByRole('combobox', { name: 'TCP' }).click();
    await page.getByRole('option', { name: 'newreno', exact: true }).click();

    await page.getByRole('button', { name: 'Add flows' }).click();
    await page.getByRole('button', { name: 'Add cross traffic' }).click();
    await beside(3).getByRole('textbox', { name: 'Rate' }).fill('8 kbit/s');
    await page.getByRole('button', { name: 'Remove set 2' }).click();
    await expect
      .poll(() => beside(2).getByRole('textbox', { name: 'Rate' }).inputValue(), PATIENCE)
      .toBe('8 kbit/s');
    await page.getByRole('textbox', { name: 'Repetitions', exact: true }).fill('1');
    await holds().waitFor();
    await page.getByText('beside: 8 kbit/s down in packets of 200 B').waitFor();
    expect(await faults(page)).toEqual([]);

    await page.getByRole('textbox', { name: 'The workload is saved as' }).fill('bulk-100-kib-down');
    await refuses(page.getByRole('textbox', { name: 'The workload is saved as' }), /already/);
    await page.getByRole('textbox', { name: 'The workload is saved as' }).fill('mine/busy');
    await holds().waitFor();
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    const batch = Number(/\d+$/.exec(page.url())?.[0]);
    expect((await service.ended(batch)).map(({ state }) => state)).toEqual(['done']);
    const { data } = await service.api.GET('/api/v1/workloads/{name}', {
      params: { path: { name: 'mine/busy' } },
    });
    expect(data?.resolved).toMatchObject({ summary: { length: 3 } });
    const files = await service.api.GET('/api/v1/batches/{id}/files', { params: { path: { id: batch } } });
    expect(files.data?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['links/gprs.toml', 'workloads/mine/busy.toml', 'variants/newreno.toml']),
    );
  });

  it('begins as a copy of one that is there', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&variant=sack&workload=gurtov2003-congested');
    await page.getByText('beside: 1 Mbit/s down in packets of 210 B').waitFor();
    await page.getByRole('button', { name: 'Change a copy' }).click();
    await expect
      .poll(() => beside(1).getByRole('textbox', { name: 'Rate' }).inputValue(), PATIENCE)
      .toBe('1 Mbit/s');
    const name = page.getByRole('textbox', { name: 'The workload is saved as' });
    await expect.poll(() => name.inputValue(), PATIENCE).toBe('bulk-5-mb-down-and-1-more');
    await holds().waitFor();
    // Its text is what is saved with the experiment.
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Text').click();
    await page.getByText('The workload bulk-5-mb-down-and-1-more, which is saved with it').waitFor();
  });

  it('has cross traffic and an access link on live testbeds too', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&variant=sack');
    await page.getByRole('radio', { name: /^Live/ }).click();
    await page.getByRole('radio', { name: 'A new one' }).click();
    await page.getByRole('button', { name: 'Add cross traffic' }).click();
    await holds().waitFor();
    await page.getByRole('combobox', { name: /^A link behind it/ }).fill('edge');
    await page.getByRole('option', { name: /^edge\s/ }).click();
    await holds().waitFor();
  });

  it('has so many flows on each of several links', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&link=edge&variant=sack');
    const flows = page.getByRole('textbox', { name: 'Flows on each link' });
    await flows.fill('2');
    await refuses(flows, /has 1 number for 2 links/);
    await flows.fill('2, 3');
    await holds().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Text').click();
    await page.locator('.cm-line').filter({ hasText: 'flows = [ 2, 3 ]' }).waitFor();
  });

  it('can be set beside every setting of TCP', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&variant=sack');
    await page.getByRole('button', { name: 'TCP settings' }).click();
    await page.getByRole('combobox', { name: 'ECN' }).click();
    await page.getByRole('option', { name: 'Offered', exact: true }).click();
    await page.getByRole('combobox', { name: 'Acknowledgements' }).click();
    await page.getByRole('option', { name: /clock's tick/ }).click();
    await page.getByRole('textbox', { name: 'Latest' }).fill('9 s');
    await refuses(page.getByRole('textbox', { name: 'Latest' }), /at most 500 ms/);
    await page.getByRole('textbox', { name: 'Latest' }).fill('100 ms');
    await page.getByText('2 for every variant').waitFor();
    await holds().waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('radiogroup', { name: 'How to edit' }).getByText('Text').click();
    await page.locator('.cm-line').filter({ hasText: 'ecn = "on"' }).waitFor();
  });
});

describe('runs in kernels of their own', () => {
  const visitor = visiting(() => service.url);

  it('are asked for with a kernel that a variant names, and reach the workers', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&variant=sack');
    await page.getByRole('radio', { name: /^Kernels of their own/ }).click();
    const named = page.getByRole('group', { name: 'On a named kernel' });
    await named.getByRole('combobox', { name: 'Kernel' }).click();
    await page.getByRole('option', { name: 'patched (Linux 6.12.107)' }).click();
    await named.getByRole('button', { name: 'Add' }).click();
    await named.getByRole('listitem').filter({ hasText: 'linux@patched' }).waitFor();
    await page.getByRole('textbox', { name: 'Repetitions', exact: true }).fill('1');
    const aside = page.getByRole('region', { name: 'What will run' });
    await aside
      .getByRole('status')
      .filter({ hasText: /^valid$/ })
      .waitFor();
    await expect.poll(() => aside.innerText(), PATIENCE).toContain('3 runs');
    await page.getByText('windlull run experiment.toml --testbed kernel').waitFor();
    expect(await faults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    await page.getByText('in kernels of their own', { exact: false }).first().waitFor();
    const batch = Number(/\d+$/.exec(page.url())?.[0]);
    const runs = await service.ended(batch);
    const state = (testbed: string) =>
      runs.filter((run) => run.testbed === testbed).map((run) => [run.variant, run.state]);
    expect(state('sim')).toEqual([['sack', 'done']]);
    // No machine can start these kernels: the runs came so far, and say so.
    expect(state('kernel')).toEqual([
      ['sack', 'failed'],
      ['linux@patched', 'failed'],
    ]);
    expect(runs.filter(({ testbed }) => testbed === 'kernel').every(({ reason }) => reason !== null)).toBe(
      true,
    );
  });

  it('are told of among the testbeds, with the kernels that there are', async () => {
    const { page } = visitor;
    await visitor.open('/testbeds');
    const kernels = page.getByRole('table', { name: 'Kernels of their own' });
    await kernels.getByText('slower.patch').waitFor();
    await expect.poll(() => kernels.getByRole('row').count(), PATIENCE).toBe(3);
    expect(await faults(page)).toEqual([]);
  });
});

describe('where no kernel was built', () => {
  const visitor = visiting(() => bare.url);

  it('the page says so before anything is saved, and what builds one', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new?link=gprs&variant=sack');
    await page.getByRole('radio', { name: /^Kernels of their own/ }).click();
    await page.getByText('It does not work here: there is no kernel in', { exact: false }).waitFor();
    const aside = page.getByRole('region', { name: 'What will run' });
    await aside.getByText(/there is no kernel "stock".*windlull kernel build/).waitFor();
    await page.getByRole('button', { name: 'Save and run' }).click();
    expect(new URL(page.url()).pathname).toBe('/experiments/new');
    const own = await until('the experiments are told', async () => {
      const { data } = await bare.api.GET('/api/v1/experiments', { params: { query: { origin: 'own' } } });
      return data?.items ?? null;
    });
    expect(own).toEqual([]);
  });
});
