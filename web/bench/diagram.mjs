// Measures the diagram of a run in headless Chromium: `node bench/diagram.mjs ADDRESS CHROMIUM`.
//
// Prints one JSON object: `first_paint_ms`, from navigation to the frame that shows the diagram, of several visits, each
// with an empty cache, in a browser that has started, or put the last page away, and come to rest; and for each movement
// the drawings a second, how long it took from one drawing to the next (95th percentile, worst), and the tasks of more
// than 50 ms. A drawing is counted when the diagram's canvas is drawn anew, so that frames in which nothing changes do
// not count. Hands are the browser's own input events, as fast as they are taken.
import { chromium } from 'playwright-core';

const [address, executablePath] = process.argv.slice(2);
const VISITS = 7;
const MOVE_MS = 4000;
/** Before each visit, ms. What a browser does as it starts, or while it puts a large page away, is no page's time. */
const REST_MS = 1500;
const PATIENCE_MS = 60_000;

const browser = await chromium.launch({
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ],
});

async function visit() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const failed = [];
  page.on('pageerror', (error) => failed.push(error.message));
  await page.waitForTimeout(REST_MS);
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName('windlull:first-paint').length > 0, null, {
    timeout: PATIENCE_MS,
  });
  if (failed.length > 0) throw new Error(failed.join('; '));
  return { context, page };
}

async function firstPaint() {
  const { context, page } = await visit();
  const [mark] = await page.evaluate(() =>
    performance.getEntriesByName('windlull:first-paint').map((entry) => entry.startTime),
  );
  await context.close();
  return mark;
}

/** Counts drawings and long tasks from now on. */
async function watch(page) {
  await page.evaluate(() => {
    const watched = { drawn: [], long: [] };
    globalThis.watched = watched;
    const scene = document.querySelector('.ts-canvas');
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      if (this.canvas === scene) watched.drawn.push(performance.now());
      return clear.apply(this, box);
    };
    new PerformanceObserver((list) => {
      watched.long.push(...list.getEntries().map((entry) => entry.duration));
    }).observe({ type: 'longtask' });
  });
}

/** What was counted while hands did something. */
async function during(page, hands) {
  await page.evaluate(() => {
    globalThis.watched.drawn.length = 0;
    globalThis.watched.long.length = 0;
  });
  await hands();
  const { drawn, long } = await page.evaluate(() => globalThis.watched);
  const gaps = drawn.slice(1).map((t, i) => t - drawn[i]);
  const ascending = gaps.toSorted((a, b) => a - b);
  return {
    drawings: drawn.length,
    frames_per_s: (1000 * gaps.length) / (drawn.at(-1) - drawn[0]),
    p95_ms: ascending[Math.floor(0.95 * ascending.length)],
    worst_ms: ascending.at(-1),
    long_tasks: long.length,
    longest_task_ms: Math.max(0, ...long),
  };
}

/** Drags to and fro, as a hand that looks for something would. */
async function drag(page, plot) {
  const middle = plot.y + plot.height / 2;
  const reach = 0.4 * plot.width;
  const begin = performance.now();
  await page.keyboard.down('Shift');
  await page.mouse.move(plot.x + plot.width / 2, middle);
  await page.mouse.down();
  for (let now = begin; now < begin + MOVE_MS; now = performance.now()) {
    const swing = Math.sin(((now - begin) / MOVE_MS) * 4 * Math.PI);
    await page.mouse.move(plot.x + plot.width / 2 + reach * swing, middle);
  }
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

/** Turns the wheel: closer for half of the time, and back. */
async function turn(page, plot) {
  const begin = performance.now();
  await page.mouse.move(plot.x + 0.6 * plot.width, plot.y + plot.height / 3);
  // The browser says that a turn was taken a frame after the next may come: some are always under way.
  const underWay = [];
  for (let now = begin; now < begin + MOVE_MS; now = performance.now()) {
    underWay.push(page.mouse.wheel(0, now < begin + MOVE_MS / 2 ? -12 : 12));
    if (underWay.length > 3) await underWay.shift();
  }
  await Promise.all(underWay);
}

async function movements() {
  const { context, page } = await visit();
  const stage = page.locator('.ts-stage').first();
  await stage.scrollIntoViewIfNeeded();
  const box = await stage.boundingBox();
  const plot = { x: box.x + 80, y: box.y + 30, width: box.width - 110, height: 300 };
  await stage.focus();
  await watch(page);
  const found = {};
  found.zoom = await during(page, () => turn(page, plot));
  for (const [name, closer] of [
    ['pan', 8],
    ['pan_close', 24],
  ]) {
    await stage.press('0');
    for (let i = 0; i < closer; i++) await stage.press('+');
    found[name] = await during(page, () => drag(page, plot));
  }
  await context.close();
  return found;
}

const first = [];
for (let i = 0; i < VISITS; i++) first.push(await firstPaint());
process.stdout.write(`${JSON.stringify({ first_paint_ms: first, ...(await movements()) })}\n`);
await browser.close();
