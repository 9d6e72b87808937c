import { describe, expect, it } from 'vitest';

import { overviewAddress } from './address';
import { askEarly } from './early';
import { askOverHttp } from './http';

const OVERVIEW = { stretch: null, pixels: 1200, tables: null };
const { signal } = new AbortController();

function service(run: object) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = (address) => {
    const path = address as string;
    asked.push(path);
    return Promise.resolve(
      new Response(JSON.stringify(path.includes('series') ? { series: asked.length } : run)),
    );
  };
  return { asked, fetch };
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('asking early', () => {
  it('gives the overview of an ended run to whoever reads it first, once', async () => {
    const { asked, fetch } = service({ result: {} });
    askEarly('/runs/5', fetch);
    await rest();
    expect(asked).toEqual(['/api/v1/runs/5', overviewAddress(5)]);
    expect(await askOverHttp(5, fetch)(OVERVIEW, signal)).toBe('{"series":2}');
    expect(asked.length).toBe(2);
    expect(await askOverHttp(5, fetch)(OVERVIEW, signal)).toBe('{"series":3}');
  });

  it('asks for no series of a run that has none', async () => {
    for (const result of [null, { evicted_at: '2026-01-01T00:00:00Z' }]) {
      const { asked, fetch } = service({ result });
      askEarly('/runs/6', fetch);
      await rest();
      expect(asked).toEqual(['/api/v1/runs/6']);
    }
  });

  it('leaves other pages alone, and what goes wrong to the page', async () => {
    const { asked, fetch } = service({ result: {} });
    for (const path of ['/', '/runs', '/runs/x', '/runs/0', '/batches/5']) askEarly(path, fetch);
    expect(asked).toEqual([]);
    askEarly('/runs/7', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await askOverHttp(7, fetch)(OVERVIEW, signal)).toBe('{"series":1}');
  });
});
