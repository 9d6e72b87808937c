import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import { PATIENCE_MS } from './service';

export const WIDE = { width: 1280, height: 800 } as const;
export const NARROW = { width: 390, height: 800 } as const;

/** Somebody with a browser. What the browser complains of, and any request to elsewhere, is kept to be judged. */
export class Visitor {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #complaints: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context;
    this.page = page;
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      this.#complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.#complaints.push(`thrown: ${error.stack ?? error.message}`));
    context.on('request', (request) => {
      const url = request.url();
      if (url.startsWith(`${origin}/`) || /^(data|blob):/.test(url)) return;
      this.#complaints.push(`asked the network for ${url}`);
    });
  }

  static async come(browser: Browser, origin: string, more: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: origin,
      viewport: WIDE,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
      ...more,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visitor(context, await context.newPage(), origin);
  }

  /** Opens an address of the application and waits until the page is drawn with what it asked for. */
  async open(address: string): Promise<void> {
    await this.page.goto(address);
    await this.settled();
  }

  /** Waits until the page has its title and waits for nothing more. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    await this.page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
  }

  /** Complaints that belong to what is tested, as the browser's line about an answer of 422. */
  expecting(complaint: RegExp): void {
    this.#expected.push(complaint);
  }

  /** Leaves; fails if there was anything to complain of. */
  async leave(): Promise<void> {
    await this.#context.close();
    const unexpected = this.#complaints.filter(
      (text) => !this.#expected.some((pattern) => pattern.test(text)),
    );
    if (unexpected.length > 0) throw new Error(`the browser complained:\n${unexpected.join('\n')}`);
  }
}

/** Waits until nothing moves: colours and places on their way are nobody's. What never stops is a sign of waiting. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // What a change of size or colours sets in motion begins with the next frames.
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const moving = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(moving.map((one) => one.finished));
  });
}

/** What stands out of a page to the side, so that the page can be scrolled there: nothing on one that fits. */
export async function overhang(page: Page): Promise<string[]> {
  await atRest(page);
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const out = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    const innermost = out.filter(
      (element) => !out.some((other) => element !== other && element.contains(other)),
    );
    const names = innermost
      .slice(0, 3)
      .map((one) => `${one.tagName} “${one.textContent.slice(0, 40)}” ${one.className}`);
    return [`${scrollWidth - clientWidth} px stand out to the side: ${names.join('; ')}`];
  });
}
