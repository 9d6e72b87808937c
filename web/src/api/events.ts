import { isRecord, record } from '../lib/json';
import { failureOf } from './failure';

/** What the controller tells of as it happens (docs/api.md, Events). */
export const KINDS = [
  'run',
  'batch',
  'document',
  'scheduler',
  'progress',
  'calibration',
  'search',
  'schedule',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Happening {
  readonly kind: Kind;
  readonly batch: number | null;
  readonly run: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** How far a live run is: so many of its octets have arrived, so many seconds after its start. */
export interface HowFar {
  readonly atS: number;
  readonly octets: number;
  readonly of: number;
}

/** How far a run is, as an event says; `null` if it says something else. */
export function howFar({ kind, data }: Happening): HowFar | null {
  const { at_s: atS, octets, of } = data;
  if (kind !== 'progress' || typeof atS !== 'number') return null;
  return typeof octets === 'number' && typeof of === 'number' ? { atS, octets, of } : null;
}

/** Whether the stream of events is there: not yet, now, or no more (it is tried again by itself). */
export type Connection = 'connecting' | 'live' | 'lost';

/** Why a stream was refused, in a sentence of the controller's; null if it does not answer, or would be there now. */
export type Asking = (address: string) => Promise<string | null>;

type Listener = (happening: Happening) => void;

/** How long to wait before a stream that a browser gave up is begun anew. */
const AGAIN_MS = 2000;

/**
 * The one stream of events of this page. Lost ones are begun again: by the browser, from the last event that came, or
 * by us when it gives up. After a gap that cannot be filled, `onGap` says that everything must be read anew.
 */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  readonly #onGap: () => void;
  readonly #open: (address: string) => EventSource;
  readonly #ask: Asking;
  #source: EventSource | null = null;
  #connection: Connection = 'connecting';
  #refusal: string | null = null;
  #last: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onGap: () => void, open = (address: string) => new EventSource(address), ask: Asking = askWhy) {
    this.#onGap = onGap;
    this.#open = open;
    this.#ask = ask;
  }

  start(): void {
    const after = this.#last === null ? '' : `?after=${this.#last}`;
    const address = `/api/v1/events${after}`;
    const source = this.#open(address);
    this.#source = source;
    source.addEventListener('hello', (event) => {
      const first = this.#last === null;
      this.#last ??= event.lastEventId || null;
      // What was read before the stream began may be old by now.
      if (!first || this.#connection === 'lost') this.#onGap();
      this.#set('live');
    });
    source.addEventListener('missed', () => this.#onGap());
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        this.#last = event.lastEventId || this.#last;
        const happening = read(kind, event.data);
        if (happening) for (const listener of [...this.#listeners]) listener(happening);
      });
    }
    source.onerror = () => {
      this.#set('lost');
      if (source.readyState !== 2) return;
      source.close();
      void this.#ask(address).then((refusal) => {
        if (this.#source === source) this.#set('lost', refusal);
      });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.start(), AGAIN_MS);
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  /** Tells of everything that happens until the returned function is called. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Tells when the connection changes; with `connection`, what React's `useSyncExternalStore` wants. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly connection = (): Connection => this.#connection;

  /** Why the controller refuses the stream, while it does: a browser does not tell. */
  readonly refusal = (): string | null => this.#refusal;

  #set(connection: Connection, refusal: string | null = connection === 'lost' ? this.#refusal : null): void {
    if (connection === this.#connection && refusal === this.#refusal) return;
    this.#connection = connection;
    this.#refusal = refusal;
    for (const watcher of [...this.#watchers]) watcher();
  }
}

async function askWhy(address: string): Promise<string | null> {
  const asking = new AbortController();
  try {
    const response = await fetch(address, { signal: asking.signal });
    return response.ok ? null : (await failureOf(response)).message;
  } catch {
    return null;
  } finally {
    // Of a stream that is there now nothing is read here.
    asking.abort();
  }
}

function read(kind: Kind, text: unknown): Happening | null {
  if (typeof text !== 'string') return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(parsed)) return null;
  const { batch, run, data } = parsed;
  return {
    kind,
    batch: typeof batch === 'number' ? batch : null,
    run: typeof run === 'number' ? run : null,
    data: record(data),
  };
}
