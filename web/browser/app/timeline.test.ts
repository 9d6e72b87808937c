import { describe, expect, inject, it } from 'vitest';

import { draw } from './drawing';
import { visiting } from './visiting';

const shared = inject('shared');

/** The numbers of an event stand where it was drawn, and not below all that the link makes of it. */
describe('the numbers of an event', () => {
  const visitor = visiting(() => shared.url);

  it('open right below the lanes and point to it', async () => {
    const { page } = visitor;
    await visitor.open('/experiments/new');
    await page.getByRole('combobox', { name: 'Link', exact: true }).fill('gprs');
    await page.getByRole('option', { name: /^gprs\s*GPRS, as early/ }).click();
    const drawn = await draw(page, page.getByRole('group', { name: 'Hold', exact: true }), 8, 11);
    const form = page.getByRole('region', { name: 'Hold', exact: true });
    await form.waitFor();
    const block = await drawn.boundingBox();
    const numbers = await form.boundingBox();
    const lanes = await page.locator('.link-timeline').boundingBox();
    const preview = await page.getByRole('img', { name: /rate and delay over time/ }).boundingBox();
    const tip = await form.locator('.link-form-tip').boundingBox();
    if (!block || !numbers || !lanes || !preview || !tip) throw new Error('something is not to be seen');
    expect(numbers.y - (lanes.y + lanes.height)).toBeLessThan(40);
    expect(preview.y).toBeGreaterThan(numbers.y + numbers.height);
    expect(Math.abs(tip.x + tip.width / 2 - block.x)).toBeLessThan(6);
  });
});
