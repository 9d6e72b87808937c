import { describe, expect, it } from 'vitest';

import type { Schema } from '../../api/client';
import { columnsOf, merged, newestOf, rangeOf, type History } from './history';

type LinkHistory = Schema<'LinkHistory'>;

const way = (octets: number, dropped = 0): Schema<'DirectionSample'> => ({
  packets: octets / 100,
  octets,
  dropped,
  queued_packets: 3,
  queued_octets: 300,
  rate_bps: 64_000,
  delay_ms: null,
  held: false,
  dropping: false,
});

const FIRST = '1970-01-01T00:00:00Z';

const historyOf = (
  samples: readonly (readonly [number, number, number?])[],
  more: Partial<LinkHistory> = {},
): LinkHistory => ({
  started: FIRST,
  every_ms: 1000,
  samples: samples.map(([at_ms, octets, lost]) => ({ at_ms, down: way(octets, lost), up: way(0) })),
  changes: [],
  links: [],
  ...more,
});

const all = (first: LinkHistory, ...later: LinkHistory[]): History =>
  later.reduce(merged, merged(undefined, first));

describe('the history of the link', () => {
  it('becomes bits and losses a second', () => {
    const { t, down, up } = columnsOf(all(historyOf([[1000, 0, 0], [2000, 1000, 4], [4000, 1000, 5]]))); // prettier-ignore
    expect(t).toEqual([1, 2, 4]);
    expect(down.carried).toEqual([null, 8000, 0]);
    expect(down.lost).toEqual([null, 4, 0.5]);
    expect(up.carried).toEqual([null, 0, 0]);
    expect(down.queue).toEqual([3, 3, 3]);
    expect(down.limit).toEqual([64_000, 64_000, 64_000]);
    expect(down.delay).toEqual([null, null, null]);
  });

  it('takes what is new alone, and keeps ten minutes', () => {
    const history = all(historyOf([[1000, 0], [2000, 100]]), historyOf([[2000, 100], [3000, 300]])); // prettier-ignore
    expect(history.samples.map(({ sample }) => sample.at_ms)).toEqual([1000, 2000, 3000]);
    expect(newestOf(history)).toBe(3000);
    const later = merged(history, historyOf([[602_500, 0]]));
    expect(later.samples.map(({ sample }) => sample.at_ms)).toEqual([3000, 602_500]);
    expect(newestOf(undefined)).toBe(0);
  });

  it('has a gap where the emulator restarted, and no spike', () => {
    const restarted = historyOf([[3000, 40], [4000, 140]], { started: '1970-01-01T00:00:02.5Z' }); // prettier-ignore
    const { t, down } = columnsOf(all(historyOf([[1000, 0], [2000, 9_000_000]]), restarted)); // prettier-ignore
    expect(t).toEqual([1, 2, 2.5, 3, 4]);
    expect(down.carried).toEqual([null, 72_000_000, null, null, 800]);
    expect(down.queue).toEqual([3, 3, null, 3, 3]);
  });

  it('has a gap where nobody could be asked', () => {
    const { t, down } = columnsOf(all(historyOf([[1000, 0], [9000, 8000]]))); // prettier-ignore
    expect(t).toEqual([1, 5, 9]);
    expect(down.carried).toEqual([null, null, null]);
  });

  it('keeps the marks of the process before, which ended with it', () => {
    const change = { id: 1, kind: 'hold', direction: 'both', from_ms: 1500, to_ms: null } as const;
    const before = historyOf([[1000, 0], [2000, 0]], { changes: [change], links: [{ at_ms: 1200, link: 'gprs', run: null }] }); // prettier-ignore
    const again = { ...change, from_ms: 2600 };
    const after = historyOf([[3000, 0]], { started: '1970-01-01T00:00:02.5Z', changes: [again] });
    const history = all(before, historyOf([[2000, 0]], { changes: [change], links: before.links }), after);
    expect(history.changes.map(({ from_ms, to_ms }) => [from_ms, to_ms])).toEqual([[1500, 2500], [2600, null]]); // prettier-ignore
    expect(history.links.map(({ link }) => link)).toEqual(['gprs']);
  });

  it('is drawn over at least a minute', () => {
    expect(rangeOf(all(historyOf([[99_000, 0], [100_000, 0]])))).toEqual([40, 100]); // prettier-ignore
    expect(rangeOf(all(historyOf([[100_000, 0], [200_000, 0]])))).toEqual([100, 200]); // prettier-ignore
  });
});
