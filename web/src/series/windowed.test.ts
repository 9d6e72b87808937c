import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ns } from '../lib/brand';
import { ONE_HOLD, sampleSeries } from '../testing/sample';
import { cutWindow } from '../testing/window';
import type { Ask } from './address';
import { openRun, type AskWindow, type WindowedRun } from './windowed';

const series = sampleSeries({ ...ONE_HOLD, detects: true, sack: true });
const END = (series['duration_ns'] as number) + 1;

/** A service that gives at most forty rows of a table, when it is told to. */
function service() {
  const asked: { ask: Ask; signal: AbortSignal; answer: () => void; refuse: (why: string) => void }[] = [];
  const ask: AskWindow = (wanted, signal) =>
    new Promise((resolve, reject) => {
      const { t0, t1 } = wanted.stretch ?? { t0: 0, t1: END };
      const text = () =>
        JSON.stringify(cutWindow(series, { from: t0, to: t1, pixels: wanted.pixels, most: 40 }));
      asked.push({
        ask: wanted,
        signal,
        answer: () => {
          resolve(text());
        },
        refuse: (why) => {
          reject(new Error(why));
        },
      });
    });
  return { asked, ask };
}

async function opened(of: ReturnType<typeof service>): Promise<WindowedRun> {
  const opening = openRun(of.ask, new AbortController().signal, 10);
  of.asked[0].answer();
  return opening;
}

const at = (from: number, to: number) => ({ t0: ns(from * 1e9), t1: ns(to * 1e9) });

describe('a run that comes window by window', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('opens with an overview of the whole run, and needs nothing more for all of it', async () => {
    const of = service();
    const run = await opened(of);
    expect(of.asked[0].ask).toEqual({ stretch: null, pixels: 10, tables: null });
    expect(run.overview.whole).toBe(false);
    expect(run.overview.segmentNumber(0)).toBeNull();
    const follower = run.follow(() => undefined);
    follower.want({ t0: ns(-1e9), t1: ns(END + 1e9) }, 10);
    await vi.advanceTimersByTimeAsync(1000);
    expect(of.asked.length).toBe(1);
    expect(follower.state.name).toBe('ready');
  });

  it('asks, when a view rests, for a finer window with margins, of the tables that it lacks', async () => {
    const of = service();
    const run = await opened(of);
    const changed = vi.fn();
    const follower = run.follow(changed);
    for (const from of [4.5, 4.7, 4.9, 5]) {
      follower.want(at(from, from + 1), 10);
      await vi.advanceTimersByTimeAsync(30);
    }
    expect(of.asked.length).toBe(1);
    expect(follower.state.name).toBe('loading');
    await vi.advanceTimersByTimeAsync(100);
    expect(of.asked.length).toBe(2);
    const { stretch, pixels, tables } = of.asked[1].ask;
    expect(stretch).toEqual(at(4.5, 6.5));
    expect(pixels).toBe(20);
    expect(tables).toContain('data');
    expect(tables).not.toContain('timeouts');

    expect(run.best(at(5, 6))).toBe(run.overview);
    of.asked[1].answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(changed).toHaveBeenCalledTimes(1);
    const window = run.best(at(5, 6));
    expect(window).not.toBe(run.overview);
    expect(window.exact).toBe(true);
    // What the overview has whole is the run's own in every window.
    expect(window.series.timeouts).toBe(run.overview.series.timeouts);
    expect(run.best(at(4, 6))).toBe(run.overview);
  });

  it('asks now and then while a view keeps moving', async () => {
    const of = service();
    const run = await opened(of);
    const follower = run.follow(() => undefined);
    for (let i = 0; i < 40; i++) {
      follower.want(at(3 + 0.2 * i, 3.5 + 0.2 * i), 10);
      await vi.advanceTimersByTimeAsync(16);
    }
    const more = of.asked.length - 1;
    expect(more).toBeGreaterThanOrEqual(2);
    expect(more).toBeLessThanOrEqual(3);
  });

  it('gives up what a view has left behind, and keeps what still serves', async () => {
    const of = service();
    const run = await opened(of);
    const follower = run.follow(() => undefined);
    follower.want(at(5, 6), 10);
    await vi.advanceTimersByTimeAsync(100);
    follower.want(at(5.2, 6.2), 10);
    expect(of.asked[1].signal.aborted).toBe(false);
    follower.want(at(9, 10), 10);
    expect(of.asked[1].signal.aborted).toBe(true);
    of.asked[1].answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(run.best(at(5, 6))).toBe(run.overview);
    await vi.advanceTimersByTimeAsync(100);
    follower.end();
    expect(of.asked[2].signal.aborted).toBe(true);
  });

  it('says why finer data could not be had, and asks again when the view moves', async () => {
    const of = service();
    const run = await opened(of);
    const changed = vi.fn();
    const follower = run.follow(changed);
    follower.want(at(5, 6), 10);
    await vi.advanceTimersByTimeAsync(100);
    of.asked[1].refuse('The service cannot be reached.');
    await vi.advanceTimersByTimeAsync(0);
    expect(follower.state).toEqual({ name: 'failed', why: 'The service cannot be reached.' });
    expect(changed).toHaveBeenCalledTimes(1);
    follower.want(at(5.1, 6.1), 10);
    await vi.advanceTimersByTimeAsync(100);
    of.asked[2].answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(follower.state.name).toBe('ready');
  });

  it('forgets the windows that were longest unused', async () => {
    const of = service();
    const run = await opened(of);
    const follower = run.follow(() => undefined);
    for (let i = 0; i < 11; i++) {
      follower.want(at(1 + i, 1.2 + i), 10);
      await vi.advanceTimersByTimeAsync(100);
      of.asked[i + 1].answer();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(run.best(at(1, 1.2))).toBe(run.overview);
    expect(run.best(at(11, 11.2))).not.toBe(run.overview);
  });
});

describe('a short run', () => {
  it('is whole in its overview, with its numbers', async () => {
    const ask: AskWindow = () =>
      Promise.resolve(JSON.stringify(cutWindow(series, { from: 0, to: END, pixels: 1200, most: 1e6 })));
    const run = await openRun(ask, new AbortController().signal);
    expect(run.overview.whole).toBe(true);
    expect(run.overview.segmentNumber(256)).toBe(2);
  });
});
