import { describe, expect, inject, it } from 'vitest';

import { visiting } from './visiting';

const shared = inject('shared');

/** What a run's page reads first, the service names in its headers, so that it comes while scripts still load. */
describe('a run’s page at a first visit', () => {
  const visitor = visiting(() => shared.url);

  it('takes what was named ahead, and asks for none of it a second time', async () => {
    const { page } = visitor;
    await visitor.open(`/runs/${shared.run}`);
    await page.locator('.ts-stage').first().waitFor();
    const run = `${shared.url}/api/v1/runs/${shared.run}`;
    const overview = `${run}/series?pixels=1200`;
    expect(await askedBy(run)).toEqual(['link']);
    expect(await askedBy(overview)).toEqual(['link']);
    // Had anybody asked once more, it would be seen.
    await page.evaluate((url) => fetch(url).then((answer) => answer.text()), overview);
    expect(await askedBy(overview)).toEqual(['link', 'fetch']);
  });

  it('is told which scripts it takes, and all of them are there', async () => {
    const { page } = visitor;
    await visitor.open('/');
    const fetched = await page.evaluate(async (url) => {
      const { headers } = await fetch(url);
      const links = (headers.get('Link') ?? '').matchAll(/<([^>]+)>; rel="modulepreload"/g);
      return Promise.all(
        [...links].map(async ([, address = '']) => [address, (await fetch(address)).status] as const),
      );
    }, `/runs/${shared.run}`);
    expect(fetched.some(([address]) => address.startsWith('/assets/page-'))).toBe(true);
    expect(fetched.map(([, status]) => status)).toEqual(fetched.map(() => 200));
  });

  /** What asked the network for an address, as the browser tells it: `link` for the header, `fetch` for a script. */
  function askedBy(url: string): Promise<string[]> {
    return visitor.page.evaluate(
      (wanted) =>
        performance
          .getEntriesByName(wanted, 'resource')
          .map((entry) => (entry as PerformanceResourceTiming).initiatorType),
      url,
    );
  }
});
