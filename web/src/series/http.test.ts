import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { ofRun } from './address';
import { askOverHttp } from './http';

const ALL = { stretch: null, pixels: 1200, tables: null };
const { signal } = new AbortController();

function answering(status: number, body: string) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = (address) => {
    asked.push(address instanceof Request ? address.url : address.toString());
    return Promise.resolve(new Response(body, { status }));
  };
  return { asked, fetch };
}

describe('asking the service for windows', () => {
  it('names run, window, width and tables', async () => {
    const { asked, fetch } = answering(200, '{}');
    const ask = askOverHttp(ofRun(7), fetch);
    expect(await ask(ALL, signal)).toBe('{}');
    await ask({ stretch: { t0: ns(5), t1: ns(9) }, pixels: 80, tables: ['data', 'link.queue.down'] }, signal);
    expect(asked).toEqual([
      '/api/v1/runs/7/series?pixels=1200',
      '/api/v1/runs/7/series?from=5&to=9&pixels=80&tables=data&tables=link.queue.down',
    ]);
  });

  it('passes on what the service says is wrong', async () => {
    const { fetch } = answering(410, '{"error": {"code": "gone", "message": "the files are gone"}}');
    await expect(askOverHttp(ofRun(7), fetch)(ALL, signal)).rejects.toMatchObject({
      status: 410,
      code: 'gone',
      message: 'the files are gone',
    });
  });

  it('says so when something else answers, or nobody', async () => {
    const { fetch } = answering(502, '<html>Bad gateway</html>');
    await expect(askOverHttp(ofRun(7), fetch)(ALL, signal)).rejects.toMatchObject({
      status: 502,
      code: 'unknown',
    });
    const nobody = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(askOverHttp(ofRun(7), nobody)(ALL, signal)).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
    });
  });

  it('lets who gave up know in the way of the browser', async () => {
    const abort = new AbortController();
    abort.abort();
    const given = new DOMException('aborted', 'AbortError');
    await expect(askOverHttp(ofRun(7), () => Promise.reject(given))(ALL, abort.signal)).rejects.toBe(given);
  });
});
