import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

import { Service, type Given } from './service';
import { launch } from '../chromium';
import { Visitor } from './visitor';

/** The visitor of the test that is under way. */
export interface Visiting extends Pick<Visitor, 'page' | 'open' | 'settled' | 'expecting'> {
  /** Somebody else, who shares nothing with the visitor. Whoever lets them come lets them leave. */
  readonly another: () => Promise<Visitor>;
}

/** A visitor with no past for each test of a `describe`, judged when the test ends; all of them have one browser. */
export function visiting(origin: () => string, more: BrowserContextOptions = {}): Visiting {
  let browser: Browser;
  let visitor: Visitor;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    visitor = await Visitor.come(browser, origin(), more);
  });

  afterEach(async () => {
    await visitor.leave();
  });

  return {
    get page() {
      return visitor.page;
    },
    open: (address) => visitor.open(address),
    settled: () => visitor.settled(),
    expecting: (complaint) => {
      visitor.expecting(complaint);
    },
    another: () => Visitor.come(browser, origin(), more),
  };
}

/** A service of its own for the tests of a `describe`. */
export function serving(given: Given = {}): Service {
  const service = new Service(given);

  beforeAll(async () => {
    await service.begin();
  });

  afterAll(async () => {
    await service.end();
  });

  return service;
}
