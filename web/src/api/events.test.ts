import { describe, expect, it, vi } from 'vitest';

import { EventStream, type Happening } from './events';

/** An EventSource that the test speaks for. */
class Voice extends EventTarget {
  onerror: (() => void) | null = null;
  readyState = 1;
  closed = false;

  readonly address: string;

  constructor(address: string) {
    super();
    this.address = address;
  }

  close(): void {
    this.closed = true;
  }

  say(kind: string, id: string, data: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId: id }));
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.onerror?.();
  }
}

function stream(refusal: string | null = null) {
  const voices: Voice[] = [];
  const gap = vi.fn();
  const open = (address: string) => {
    const voice = new Voice(address);
    voices.push(voice);
    return voice as unknown as EventSource;
  };
  const made = new EventStream(gap, open, () => Promise.resolve(refusal));
  made.start();
  return { made, voices, gap };
}

describe('EventStream', () => {
  it('tells what happens, once it is live', () => {
    const { made, voices } = stream();
    const heard: Happening[] = [];
    made.subscribe((happening) => heard.push(happening));
    expect(made.connection()).toBe('connecting');
    voices[0]?.say('hello', '4');
    voices[0]?.say('run', '5', { batch: 1, run: 2, data: { state: 'done' } });
    expect(made.connection()).toBe('live');
    expect(heard).toEqual([{ kind: 'run', batch: 1, run: 2, data: { state: 'done' } }]);
  });

  it('says that the controller is gone, and reads anew when it is back', () => {
    const { made, voices, gap } = stream();
    voices[0]?.say('hello', '4');
    voices[0]?.fail(0);
    expect(made.connection()).toBe('lost');
    voices[0]?.say('hello', '4');
    expect(made.connection()).toBe('live');
    expect(gap).toHaveBeenCalledTimes(1);
  });

  it('goes on from the last event when the browser gave up', () => {
    vi.useFakeTimers();
    const { voices } = stream();
    voices[0]?.say('hello', '4');
    voices[0]?.say('batch', '9', {});
    voices[0]?.fail(2);
    expect(voices[0]?.closed).toBe(true);
    vi.advanceTimersByTime(5000);
    expect(voices[1]?.address).toBe('/api/v1/events?after=9');
    vi.useRealTimers();
  });

  it('says why the controller refuses it, until it is there', async () => {
    vi.useFakeTimers();
    const { made, voices } = stream('32 clients watch from this address already');
    const seen: (string | null)[] = [];
    made.watch(() => seen.push(made.refusal()));
    voices[0]?.fail(2);
    expect(made.refusal()).toBe(null);
    await vi.advanceTimersByTimeAsync(5000);
    expect(made.refusal()).toBe('32 clients watch from this address already');
    voices[1]?.say('hello', '4');
    expect(made.refusal()).toBe(null);
    expect(seen).toEqual([null, '32 clients watch from this address already', null]);
    vi.useRealTimers();
  });

  it('does not blame a controller that is gone', async () => {
    const { made, voices } = stream(null);
    voices[0]?.fail(2);
    await Promise.resolve();
    expect([made.connection(), made.refusal()]).toEqual(['lost', null]);
    made.stop();
  });

  it('reads anew what it missed', () => {
    const { voices, gap } = stream();
    voices[0]?.say('missed', '12');
    expect(gap).toHaveBeenCalledTimes(1);
  });
});
