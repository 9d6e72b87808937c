import { describe, expect, it } from 'vitest';

import { replaysOf } from './replays';

const result = (...names: string[]) => ({
  metrics: {},
  certificate: null,
  attempts: 1,
  created_at: '2026-01-01T00:00:00Z',
  evicted_at: null,
  files: names.map((name) => ({ name, sha256: '0'.repeat(64), bytes: 1 })),
});

describe('the ways to replay a run', () => {
  it('need its fates, and by octets both captures', () => {
    const ways = (...names: string[]) => replaysOf(result(...names)).map(({ by }) => by);
    expect(ways('fates.csv', 'server.pcapng', 'client.pcapng')).toEqual(['packet', 'time', 'octets']);
    expect(ways('fates.csv', 'server.pcapng')).toEqual(['packet', 'time']);
    expect(ways('server.pcapng', 'client.pcapng')).toEqual([]);
  });

  it('are none without a result, or once its files are gone', () => {
    expect(replaysOf(null)).toEqual([]);
    expect(replaysOf({ ...result('fates.csv'), evicted_at: '2026-01-02T00:00:00Z' })).toEqual([]);
  });
});
