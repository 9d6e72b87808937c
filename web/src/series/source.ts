import type { Ns } from '../lib/brand';
import type { RunIndex } from './run-index';

/** A stretch of a run, ns of the run. */
export interface Stretch {
  readonly t0: Ns;
  readonly t1: Ns;
}

/** Where a run's rows come from: all at once, or window by window as a diagram moves. Drawing never waits for it. */
export interface SeriesSource {
  /** The whole run, decimated if it is long. Always there. */
  readonly overview: RunIndex;
  /** The best that is here now for a stretch: of a window that covers it, else of the whole run. */
  best(stretch: Stretch): RunIndex;
  /** Asks for better data as a drawing moves; `changed` is called when they have come, or could not. */
  follow(changed: () => void): Follower;
}

/** One drawing's wishes to a source. */
export interface Follower {
  /** What is drawn now, and how many CSS pixels wide. Called with every move; costs nothing if the best is here. */
  want(stretch: Stretch, width: number): void;
  /** What has become of the last wish. */
  readonly state: FollowState;
  /** No more wishes; what is under way is given up. */
  end(): void;
}

/** `ready`: the best is here; `loading`: better data are asked for; `failed`: they could not be had, for this reason. */
export type FollowState =
  { readonly name: 'ready' | 'loading' } | { readonly name: 'failed'; readonly why: string };

const READY: FollowState = { name: 'ready' };

/** A run of which all is here. */
export class WholeRun implements SeriesSource {
  readonly overview: RunIndex;

  constructor(index: RunIndex) {
    this.overview = index;
  }

  best(): RunIndex {
    return this.overview;
  }

  follow(): Follower {
    return { want: () => undefined, state: READY, end: () => undefined };
  }
}
