import { useEffect, useState } from 'react';

import type { SeriesSource } from '../series/source';
import type { RunStore } from './runs';

/** What is known of a run's data: on their way, here, or unreadable. */
export type Loaded =
  { readonly key: string; readonly run: SeriesSource } | { readonly key: string; readonly error: string };

/** The data of a run, once they are inflated; null while they are not, or if `key` is null. */
export function useRun(store: RunStore, key: string | null): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (key === null) return undefined;
    let wanted = true;
    store
      .load(key)
      .then((loadedRun): Loaded => ({ key, run: loadedRun }))
      .catch((error: unknown): Loaded => ({
        key,
        error: error instanceof Error ? error.message : String(error),
      }))
      .then((result) => {
        if (wanted) setLoaded(result);
      })
      .catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [store, key]);
  return loaded?.key === key ? loaded : null;
}
