import { useEffect, useState } from 'react';

import { ofRun } from '../series/address';
import { askOverHttp, SeriesFailure } from '../series/http';
import type { SeriesSource } from '../series/source';
import { openRun } from '../series/windowed';

type Fetch = typeof globalThis.fetch;

/** What is known of a run's series. */
export type RunSeries =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: SeriesFailure; readonly retry: () => void }
  | { readonly state: 'ready'; readonly source: SeriesSource };

const LOADING: RunSeries = { state: 'loading' };

/** Runs that are being opened, or were. A run that has ended never changes, so that they may be kept. */
const opened = new Map<string, Promise<SeriesSource>>();
const MOST_OPENED = 12;

/** Begins to open a run before anyone shows it; the hook takes what is under way. */
export function prefetchRunSeries(run: number, fetch: Fetch): Promise<SeriesSource> {
  return open(ofRun(run), fetch);
}

function open(address: string, fetch: Fetch): Promise<SeriesSource> {
  const known = opened.get(address);
  if (known) return known;
  const opening = openRun(askOverHttp(address, fetch), new AbortController().signal);
  opened.set(address, opening);
  // A failure is told to whoever waits for it, and forgotten, so that asking again is possible.
  opening.catch(() => opened.delete(address));
  for (const oldest of opened.keys()) {
    if (opened.size <= MOST_OPENED) break;
    opened.delete(oldest);
  }
  return opening;
}

/** The series of an ended run as a source for diagrams; of none while `run` is `null`. Keep `fetch` the same. */
export function useRunSeries(run: number | null, fetch: Fetch): RunSeries {
  return useSeries(run === null ? null : ofRun(run), fetch);
}

/** The series at an address, which never changes, as a source for diagrams; of none while it is `null`. */
export function useSeries(address: string | null, fetch: Fetch): RunSeries {
  const [known, setKnown] = useState<{ readonly address: string | null; readonly series: RunSeries }>({
    address,
    series: LOADING,
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (address === null) return undefined;
    let wanted = true;
    const tell = (series: RunSeries) => {
      if (wanted) setKnown({ address, series });
    };
    open(address, fetch).then(
      (source) => tell({ state: 'ready', source }),
      (error: unknown) => {
        const retry = () => {
          tell(LOADING);
          setAttempt((before) => before + 1);
        };
        tell({ state: 'failed', error: asFailure(error), retry });
      },
    );
    return () => {
      wanted = false;
    };
  }, [address, fetch, attempt]);
  return known.address === address ? known.series : LOADING;
}

function asFailure(error: unknown): SeriesFailure {
  if (error instanceof SeriesFailure) return error;
  return new SeriesFailure(error instanceof Error ? error.message : String(error), 0, 'unreadable');
}
