import { describe, expect, it } from 'vitest';

import { faults } from './looks';
import { EXPERIMENT, LINK } from './seed';
import { PATIENCE, until } from './service';
import { serving, visiting } from './visiting';
import { NARROW, WIDE } from './visitor';

/** A schedule from an experiment's button to its verdict, in a service of its own. One test goes on where the last ended. */
describe('a schedule', () => {
  const service = serving();
  const visitor = visiting(() => service.url);
  let schedule = 0;

  it('is made from an experiment, in a dialogue that says when it comes', async () => {
    const { page } = visitor;
    await service.write('links', 'late', LINK);
    await service.write('experiments', 'late', EXPERIMENT);
    await visitor.open('/experiments/view/late');
    await page.getByRole('link', { name: 'Schedule', exact: true }).click();
    const dialogue = page.getByRole('dialog', { name: 'New schedule' });
    await dialogue.getByText('Give it a name; its batches have it as a tag.').waitFor();
    await dialogue.getByRole('textbox', { name: 'Name', exact: true }).fill('nightly');
    // Fewer pairs do not decide a median.
    await dialogue.getByRole('textbox', { name: 'Repetitions' }).fill('8');
    await dialogue.getByText(/^At 02:30 every day\. Next: /).waitFor();
    await dialogue.getByRole('textbox', { name: 'When' }).fill('0 4 * * 1-5');
    await dialogue.getByText(/^At 04:00 on Monday through Friday\. Next: /).waitFor();
    // What is refused stands at its field, once, and nowhere else.
    visitor.expecting(/status of 422/);
    const rules = dialogue.getByRole('textbox', { name: 'It fails if' });
    const usual = await rules.inputValue();
    await rules.fill('speed.median > 3');
    await dialogue.getByRole('button', { name: 'Schedule', exact: true }).click();
    await expect.poll(() => rules.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await expect.poll(() => rules.evaluate((field) => field === document.activeElement), PATIENCE).toBe(true);
    expect(await dialogue.getByText(/there is no metric speed/).count()).toBe(1);
    expect(await dialogue.getByRole('alert').count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await rules.fill(usual);
    await expect.poll(() => rules.getAttribute('aria-invalid'), PATIENCE).not.toBe('true');
    await dialogue.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.waitForURL(/\/schedules\/\d+$/);
    schedule = Number(new URL(page.url()).pathname.split('/').at(-1));
    await page.getByText('It has not run yet.').waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('runs when it is asked to, and says what came of it, as does its batch', async () => {
    const { page } = visitor;
    const ended = (count: number) =>
      until(`${count} rounds have ended`, async () => {
        const { data } = await service.api.GET('/api/v1/schedules/{id}/rounds', {
          params: { path: { id: schedule }, query: { limit: 10 } },
        });
        return data?.items.filter(({ state }) => state === 'ended').length === count ? data.items : null;
      });
    const rounds = page.getByRole('table', { name: 'Rounds' });
    await visitor.open(`/schedules/${schedule}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await rounds.getByText('first', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await rounds.getByText('passed', { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
    // On a narrow screen the words stand below.
    await page.setViewportSize(NARROW);
    const passed = page
      .getByRole('list', { name: 'Rounds' })
      .getByRole('listitem')
      .filter({ hasText: 'passed' });
    const words = await passed
      .getByText(/baseline/)
      .first()
      .boundingBox();
    expect((words?.x ?? NARROW.width) + (words?.width ?? 0)).toBeLessThanOrEqual(NARROW.width);
    await page.setViewportSize(WIDE);
    const [last] = await ended(2);
    await visitor.open(`/batches/${last.batch ?? 0}`);
    await page
      .getByRole('note', { name: 'Schedule' })
      .getByText(/^The gate passed/)
      .waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it('is paused, changed and deleted', async () => {
    const { page } = visitor;
    visitor.expecting(/status of 404/);
    await visitor.open(`/schedules/${schedule}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('It is paused').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialogue = page.getByRole('dialog', { name: 'Change nightly' });
    await dialogue.getByRole('switch', { name: 'Send a notice when it fails' }).check();
    await dialogue.getByRole('textbox', { name: 'Address' }).fill('https://chat.example.org/hooks/abc');
    expect(await faults(page)).toEqual([]);
    await dialogue.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://chat.example.org, not signed').waitFor();
    await visitor.open('/schedules');
    await page.getByRole('table', { name: 'Schedules' }).getByText('paused', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL('**/schedules');
    await page.getByText('Nothing is scheduled yet').waitFor();
  });
});
