import type { Ns } from '../lib/brand';
import { Recent } from '../lib/recent';
import { decodeSeries } from './decode';
import { RunIndex } from './run-index';
import type { Follower, FollowState, SeriesSource, Stretch } from './source';
import { OVERVIEW_PIXELS, type Ask } from './address';
import { missingTables, withComplete } from './complete';
import type { SeriesWindow } from './types';

/** Brings the text of a window, of the shape of `series.json`. Fails with an error whose message is for people. */
export type AskWindow = (ask: Ask, signal: AbortSignal) => Promise<string>;

/** A window serves as long as one of its pixels covers no more than this many of the view's. */
const BLUR = 1.5;
/** How much is asked for on each side of the view, in widths of the view, so that a little panning needs nothing. */
const MARGIN = 0.5;
/** The service gives no wider windows. */
const MOST_PIXELS = 10_000;
/** A view must stand still for so long before it is asked for, ms... */
const SETTLED_MS = 80;
/** ...but one that keeps moving is asked for at least so often, ms. */
const IMPATIENT_MS = 250;
/** Windows that are kept. Each is a few megabytes. */
const KEPT = 10;

/** Asks for a run's overview, and gives the source of its windows. Fails as `ask` does, or with a `DataError`. */
export async function openRun(
  ask: AskWindow,
  signal: AbortSignal,
  pixels = OVERVIEW_PIXELS,
): Promise<WindowedRun> {
  return new WindowedRun(
    new RunIndex(decodeSeries(await ask({ stretch: null, pixels, tables: null }, signal))),
    ask,
  );
}

/** A run whose rows come window by window. Several drawings may follow it; what one asked for serves all. */
export class WindowedRun implements SeriesSource {
  readonly overview: RunIndex;
  readonly #ask: AskWindow;
  readonly #windows = new Recent<RunIndex>(KEPT);
  /** Whom to tell when a window has come. */
  readonly #followers = new Map<Follower, () => void>();

  constructor(overview: RunIndex, ask: AskWindow) {
    this.overview = overview;
    this.#ask = ask;
  }

  best(stretch: Stretch): RunIndex {
    const inside = clampStretch(stretch, this.overview);
    let best = this.overview;
    if (best.exact) return best;
    for (const index of this.#windows) {
      const window = index.series.window;
      if (window && covers(window, inside) && better(index, best)) best = index;
    }
    if (best !== this.overview) this.#windows.use(best);
    return best;
  }

  follow(changed: () => void): Follower {
    const follower = new WindowFollower(this, this.#ask, {
      changed,
      came: (index) => {
        this.#windows.use(index);
        for (const tell of this.#followers.values()) tell();
      },
      ended: () => this.#followers.delete(follower),
    });
    this.#followers.set(follower, changed);
    return follower;
  }
}

/** Whom a follower tells what. */
interface Listeners {
  /** A wish could not be met. */
  readonly changed: () => void;
  readonly came: (index: RunIndex) => void;
  readonly ended: () => void;
}

/** What one drawing asks for: at most one window at a time, the one that it needs now. */
class WindowFollower implements Follower {
  readonly #source: WindowedRun;
  readonly #ask: AskWindow;
  readonly #tell: Listeners;
  #wanted: Ask | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingSince = 0;
  #underWay: { readonly ask: Ask; readonly abort: AbortController } | null = null;
  #failure: string | null = null;

  constructor(source: WindowedRun, ask: AskWindow, tell: Listeners) {
    this.#source = source;
    this.#ask = ask;
    this.#tell = tell;
  }

  get state(): FollowState {
    if (this.#timer !== undefined || this.#underWay) return { name: 'loading' };
    return this.#failure === null ? { name: 'ready' } : { name: 'failed', why: this.#failure };
  }

  want(stretch: Stretch, width: number): void {
    const { overview } = this.#source;
    const view = clampStretch(stretch, overview);
    const index = this.#source.best(stretch);
    if (view.t1 <= view.t0 || serves(index, view, width)) {
      this.#settle();
      return;
    }
    const ask = withMargin(view, width, overview);
    if (this.#underWay && asks(this.#underWay.ask, view, width)) return;
    this.#underWay?.abort.abort();
    this.#underWay = null;
    this.#wanted = ask;
    const now = performance.now();
    if (this.#timer === undefined) this.#waitingSince = now;
    clearTimeout(this.#timer);
    const patience = Math.max(0, this.#waitingSince + IMPATIENT_MS - now);
    this.#timer = setTimeout(() => void this.#send(), Math.min(SETTLED_MS, patience));
  }

  end(): void {
    this.#settle();
    this.#underWay?.abort.abort();
    this.#underWay = null;
    this.#tell.ended();
  }

  /** The best is here: nothing more is asked for. What is under way may come; it will serve a later view. */
  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wanted = null;
    this.#failure = null;
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    const ask = this.#wanted;
    if (!ask) return;
    this.#wanted = null;
    const underWay = { ask, abort: new AbortController() };
    this.#underWay = underWay;
    const { signal } = underWay.abort;
    try {
      const text = await this.#ask(ask, signal);
      if (signal.aborted) return;
      const { overview } = this.#source;
      const index = new RunIndex(withComplete(decodeSeries(text), overview.series), overview);
      this.#underWay = null;
      this.#failure = null;
      this.#tell.came(index);
    } catch (error) {
      if (signal.aborted) return;
      this.#underWay = null;
      this.#failure = error instanceof Error ? error.message : String(error);
      this.#tell.changed();
    }
  }
}

/** The part of a stretch that is inside the run. */
function clampStretch({ t0, t1 }: Stretch, { series }: RunIndex): Stretch {
  const end = series.window?.to ?? series.duration;
  return { t0: Math.max(0, Math.floor(t0)) as Ns, t1: Math.min(end, Math.ceil(t1)) as Ns };
}

function covers(window: SeriesWindow, { t0, t1 }: Stretch): boolean {
  return window.from <= t0 && t1 <= window.to;
}

/** How much time a pixel of a window covers, ns. */
const nsPerPixel = (window: SeriesWindow) => (window.to - window.from) / window.pixels;

/** Whether a window shows more than another of the same place: every row, or finer pixels. */
function better(index: RunIndex, than: RunIndex): boolean {
  const [mine, other] = [index.series.window, than.series.window];
  if (!mine || !other || index.exact !== than.exact) return index.exact;
  return nsPerPixel(mine) < nsPerPixel(other);
}

/** Whether an index has all that a view of this width can show. */
function serves(index: RunIndex, view: Stretch, width: number): boolean {
  const { window } = index.series;
  if (index.exact || window === null) return true;
  return nsPerPixel(window) <= (BLUR * (view.t1 - view.t0)) / width;
}

/** Whether what was asked for will serve a view. */
function asks({ stretch, pixels }: Ask, view: Stretch, width: number): boolean {
  if (stretch === null || stretch.t0 > view.t0 || view.t1 > stretch.t1) return false;
  return (stretch.t1 - stretch.t0) / pixels <= (BLUR * (view.t1 - view.t0)) / width;
}

function withMargin(view: Stretch, width: number, overview: RunIndex): Ask {
  const span = view.t1 - view.t0;
  const wide = { t0: (view.t0 - MARGIN * span) as Ns, t1: (view.t1 + MARGIN * span) as Ns };
  const stretch = clampStretch(wide, overview);
  const pixels = Math.ceil((width * (stretch.t1 - stretch.t0)) / span);
  return {
    stretch,
    pixels: Math.max(1, Math.min(MOST_PIXELS, pixels)),
    tables: missingTables(overview.series),
  };
}
