import type { Locator, Page } from 'playwright-core';

/** Draws an event on a lane from one instant to another, both in s, as a hand with a mouse; returns it. */
export async function draw(page: Page, lane: Locator, from: number, to: number): Promise<Locator> {
  const area = lane.locator('[data-lane]');
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  if (!box) throw new Error('the lane is not to be seen');
  // The first minute is shown.
  const x = (seconds: number) => box.x + (box.width * seconds) / 60;
  const y = box.y + box.height / 2;
  await page.mouse.move(x(from), y);
  await page.mouse.down();
  await page.mouse.move(x((from + to) / 2), y, { steps: 3 });
  await page.mouse.move(x(to), y, { steps: 3 });
  await page.mouse.up();
  const block = lane.getByRole('button');
  await block.waitFor();
  return block;
}
