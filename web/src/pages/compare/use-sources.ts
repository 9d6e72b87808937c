import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';

import { prefetchRunSeries } from '../../figures/use-run-series';
import type { SeriesSource } from '../../series/source';

interface Sources {
  /** In the order that was asked for; the same array while the runs are. `null` until all are here. */
  readonly sources: readonly SeriesSource[] | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

const fetchHere = window.fetch.bind(window);

/** The series of several ended runs, for diagrams. */
export function useSources(runs: readonly number[]): Sources {
  const queries = useQueries({
    queries: runs.map((run) => ({
      queryKey: ['series', run],
      queryFn: () => prefetchRunSeries(run, fetchHere),
      // A run that has ended never changes.
      staleTime: Infinity,
      structuralSharing: false,
    })),
  });
  const key = runs.join(' ');
  const ready = queries.length > 0 && queries.every(({ data }) => data !== undefined);
  const sources = useMemo(
    () => (ready ? queries.flatMap(({ data }) => data ?? []) : null),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the array must stay the same while the runs do
    [key, ready],
  );
  return {
    sources,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of queries) if (query.error !== null) void query.refetch();
    },
  };
}
