import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { addresses } from './addresses';
import { build } from './build';
import { Emulated } from './emulated';
import { withPalette } from './png';
import { seed } from './seed';
import { Service } from './service';
import { launch } from '../chromium';
import { atRest, Visitor, WIDE } from './visitor';

const TO = fileURLToPath(new URL('../../../docs/images/web', import.meta.url));

/** One picture of each page; what else tests visit looks much like these. */
const SHOWN = [
  'home',
  'welcome',
  'runs',
  'batch',
  'compare',
  'run',
  'run-episode',
  'run-failed',
  'experiments',
  'experiment',
  'new-experiment-from',
  'links',
  'link',
  'link-edit',
  'link-import',
  'papers',
  'paper',
  'live-link',
  'captures',
  'testbeds',
  'nowhere',
];

/** Writes docs/images/web: every page, in light and dark, on real data of seeds that stay the same. */
async function screenshots(): Promise<void> {
  build();
  const emulated = new Emulated();
  await emulated.begin();
  const [service, browser] = await Promise.all([Service.start({ emulator: emulated.url }), launch()]);
  try {
    await service.api.PUT('/api/v1/emulator/link', { body: { name: 'umts-3g' } });
    await service.api.POST('/api/v1/emulator/changes', {
      body: { kind: 'set', direction: 'down', set: { rate: '64 kbit/s' } },
    });
    const seeded = await seed(service);
    await service.ended(
      await service.submit({ experiment: 'papers/sarolahti2003/table-1', captures: false }),
    );
    await service.ended(await service.submit({ experiment: 'first-look' }));
    const links = ['late', 'lte-good', 'lte-cell-edge', '5g-low-band', '5g-mid-band'];
    const { data } = await service.api.POST('/api/v1/flows', { body: { links } });
    for (const batch of new Set(data?.items.map((flow) => flow.batch))) await service.ended(batch);
    mkdirSync(TO, { recursive: true });
    for (const old of readdirSync(TO)) rmSync(join(TO, old));
    const visitor = await Visitor.come(browser, service.url);
    const { page } = visitor;
    const take = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction(
          (wanted) => document.documentElement.dataset['mantineColorScheme'] === wanted,
          colorScheme,
        );
        await atRest(page);
        writeFileSync(join(TO, `${name}-${colorScheme}.png`), withPalette(await page.screenshot()));
      }
    };
    for (const { name, path } of addresses(seeded)) {
      if (!SHOWN.includes(name)) continue;
      await visitor.open(path);
      await page.setViewportSize({ width: WIDE.width, height: await tall(visitor) });
      await take(name);
      await page.setViewportSize(WIDE);
    }
    await visitor.open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await take('palette');
    await visitor.leave();
  } finally {
    await browser.close();
    await service.end();
    await emulated.end();
  }
}

/** The height that shows all of a page, within reason. */
function tall({ page }: Visitor): Promise<number> {
  return page.evaluate(
    ([least, most]) => Math.min(most, Math.max(least, document.documentElement.scrollHeight)),
    [WIDE.height, 1600],
  );
}

await screenshots();
