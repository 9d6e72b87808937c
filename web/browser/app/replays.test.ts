import { describe, expect, it } from 'vitest';

import { faults } from './looks';
import { PATIENCE } from './service';
import { serving, visiting } from './visiting';
import { seed, type Seeded } from './seed';

/** From a run to the experiment that replays it. What it makes is its own, so that it has a service of its own. */
describe('a replay of a run', () => {
  const service = serving();
  const visitor = visiting(() => service.url);
  let seeded: Seeded | null = null;
  let batch = 0;

  it('is opened by the button of the run, filled in with what the run was of', async () => {
    const { page } = visitor;
    seeded = await seed(service);
    await visitor.open(`/runs/${seeded.run}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('menuitem', { name: /^sent last by that time/ }).click();
    await page.waitForURL(`**/experiments/new?replay=${seeded.run}&by=time`);
    await visitor.settled();
    await page.getByRole('heading', { name: `A replay of run ${seeded.run}` }).waitFor();
    for (const name of ['newreno', 'sack', 'frto+sack']) {
      const box = page.getByRole('checkbox', { name: new RegExp(`^${name.replace('+', '\\+')} ·`) });
      expect(await box.isChecked()).toBe(true);
    }
    expect(await page.getByRole('textbox', { name: 'Repetitions' }).inputValue()).toBe('1');
    const name = page.getByRole('textbox', { name: 'The link with what they met is saved as' });
    await expect.poll(() => name.inputValue(), PATIENCE).toBe(`replay-of-run-${seeded.run}-by-time`);
    expect(await faults(page)).toEqual([]);
  });

  it('runs as any experiment does, and the recorded variant does what it had done', async () => {
    const { page } = visitor;
    if (seeded === null) throw new Error('nothing is seeded');
    await visitor.open(`/experiments/new?replay=${seeded.run}&by=packet`);
    await page.getByRole('checkbox', { name: /^newreno ·/ }).uncheck();
    await page.getByRole('button', { name: /^Save and run|^Run/ }).click();
    await page.waitForURL(/\/batches\/\d+$/);
    batch = Number(new URL(page.url()).pathname.split('/').at(-1));
    const runs = await service.ended(batch);
    expect(runs.map(({ variant, state }) => [variant, state])).toEqual([
      ['sack', 'done'],
      ['frto+sack', 'done'],
    ]);
    const metricsOf = async (id: number) => {
      const { data } = await service.api.GET('/api/v1/runs/{id}', { params: { path: { id } } });
      return data?.result?.metrics ?? {};
    };
    const [was, again] = [await metricsOf(seeded.run), await metricsOf(runs[0].id)];
    for (const metric of ['elapsed_s', 'segments_sent', 'retransmissions'])
      expect(again[metric]).toBe(was[metric]);
  });

  it('takes the link again that it has saved', async () => {
    const { page } = visitor;
    if (seeded === null) throw new Error('nothing is seeded');
    await visitor.open(`/experiments/new?replay=${seeded.run}&by=packet`);
    await page.getByRole('group', { name: 'the commands' }).waitFor();
    expect(await page.getByRole('group', { name: 'the commands' }).innerText()).toContain('.capsule.zip');
    expect(await page.getByRole('textbox', { name: 'The link with what they met is saved as' }).count()).toBe(
      0,
    );
  });

  it('is of no run that is not there', async () => {
    visitor.expecting(/status of 404/);
    await visitor.open('/experiments/new?replay=99999');
    await visitor.page.getByRole('heading', { name: 'Run 99999 cannot be replayed' }).waitFor();
  });
});
