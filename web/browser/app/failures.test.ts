import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { CANNOT_END, ENDLESS, EXPERIMENT, LINK } from './seed';
import { serving, visiting } from './visiting';
import { PATIENCE } from './service';

/** What came to nothing says what, why, and what to do; and doing it helps, if anything can. */
describe('a failed run', () => {
  const service = serving({ workers: 1 });
  const visitor = visiting(() => service.url);

  const failed = () => visitor.page.getByRole('status').filter({ hasText: 'The run failed' });
  const tryAgain = () => visitor.page.getByRole('button', { name: 'Try again' });

  it('that its experiment is to blame for fails again, and says so', async () => {
    const { page } = visitor;
    await service.write('links', 'late', LINK);
    await service.write('experiments', 'cannot-end', CANNOT_END);
    const batch = await service.submit({ experiment: 'cannot-end' });
    const [run] = await service.ended(batch);
    expect(run).toMatchObject({ state: 'failed' });

    await visitor.open(`/runs/${run.id}`);
    // What failed, why, and what to do.
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).innerText(), PATIENCE)
      .toMatch(/repetition 1$/);
    const text = await failed().innerText();
    expect(text).toMatch(new RegExp(run.reason ?? 'a reason', 'i'));
    expect(text).toMatch(/time limit \(5 s\)/);
    expect(text).toMatch(/every time and will fail again/);
    expect(text).toMatch(/“Try again” queues it again, unchanged\..*change it and run it again/s);

    // Its batch does not offer what cannot help.
    await visitor.open(`/batches/${batch}`);
    await page.getByText(/so trying again does not help/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Try them again' }).count(), PATIENCE).toBe(0);
    await visitor.open(`/runs/${run.id}`);

    const before = await service.submit({ ...ENDLESS, priority: 10 });
    await tryAgain().click();
    await page.getByRole('status').filter({ hasText: 'The run is waiting' }).waitFor();
    await expect.poll(() => failed().count(), PATIENCE).toBe(0);
    await service.api.POST('/api/v1/batches/{id}/cancel', { params: { path: { id: before } } });
    // Its second end is told without a reload.
    await failed().waitFor();
    const [again] = await service.ended(batch);
    expect(again).toMatchObject({ state: 'failed', attempt: 2 });
    await expect
      .poll(() => failed().innerText(), PATIENCE)
      .toMatch(new RegExp(run.reason ?? 'a reason', 'i'));
    await tryAgain().waitFor();
  });

  it('that the disk is to blame for is queued again, and done once the disk is there', async () => {
    const { page } = visitor;
    // The page asks for files that are on that disk.
    visitor.expecting(/status of 410/);
    await service.write('experiments', 'late', EXPERIMENT);
    // Queued behind what takes long, so that nothing of it is read before the disk is gone.
    const endless = await service.submit({ ...ENDLESS, priority: 10 });
    const batch = await service.submit({ experiment: 'late', repetitions: 1 });
    const waiting = await service.runs(batch);
    const { id } = waiting.find(({ variant }) => variant === 'sack') ?? waiting[0];
    for (const one of [batch, endless]) {
      await service.api.POST('/api/v1/batches/{id}/cancel', { params: { path: { id: one } } });
      await service.ended(one);
    }

    await visitor.open(`/runs/${id}`);
    await page.getByRole('status').filter({ hasText: 'The run was cancelled' }).waitFor();
    const files = join(service.data, 'data', 'blobs');
    const away = join(service.data, 'away');
    renameSync(files, away);
    mkdirSync(files);
    await tryAgain().click();
    await failed().waitFor();
    await expect
      .poll(() => failed().innerText(), PATIENCE)
      .toMatch(/The files of its experiment cannot be read/);

    rmSync(files, { recursive: true });
    renameSync(away, files);
    await tryAgain().click();
    await failed().waitFor({ state: 'detached' });
    await page.locator('.ts-stage').first().waitFor();
    await expect.poll(() => tryAgain().count(), PATIENCE).toBe(0);
    expect((await service.runs(batch)).find((run) => run.id === id)).toMatchObject({ state: 'done' });
  });
});
