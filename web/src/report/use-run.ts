import { useEffect, useMemo, useState } from 'react';

import type { SeriesSource } from '../series/source';
import { useOnPaper } from '../figures/paper';
import type { RunStore } from './runs';

/** What is known of a run's data: here, or unreadable. */
export type Loaded =
  { readonly key: string; readonly run: SeriesSource } | { readonly key: string; readonly error: string };

/** The data of a run; null until the page stands, so that it does not wait for them, and if `key` is null. */
export function useRun(store: RunStore, key: string | null): Loaded | null {
  return useRuns(store, key)?.[0] ?? null;
}

/** The data of several runs, whose keys are joined by newlines; as `useRun`. */
export function useRuns(store: RunStore, keys: string | null): readonly Loaded[] | null {
  const onPaper = useOnPaper();
  const [turn, setTurn] = useState<string | null>(null);
  useEffect(() => {
    if (keys === null) return undefined;
    const due = setTimeout(() => setTurn(keys));
    return () => clearTimeout(due);
  }, [keys]);
  const wanted = onPaper ? keys : turn === keys ? turn : null;
  return useMemo(() => wanted?.split('\n').map((key) => load(store, key)) ?? null, [store, wanted]);
}

function load(store: RunStore, key: string): Loaded {
  try {
    return { key, run: store.load(key) };
  } catch (error) {
    return { key, error: error instanceof Error ? error.message : String(error) };
  }
}
