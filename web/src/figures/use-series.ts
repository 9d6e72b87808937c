import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { ofRun } from '../series/address';
import { askOverHttp } from '../series/http';
import type { SeriesSource } from '../series/source';
import { openRun } from '../series/windowed';

const fetchHere = window.fetch.bind(window);

/** How the series at an address comes to be a source for diagrams. It never changes, whatever happens. */
export function seriesQuery(address: string) {
  return {
    queryKey: ['series', { address }],
    queryFn: () => openRun(askOverHttp(address, fetchHere), new AbortController().signal),
    staleTime: Infinity,
    structuralSharing: false,
    retry: false,
  } as const;
}

/** The series at an address as a source for diagrams; pending while the address is `null`. */
export function useSeries(address: string | null) {
  return useQuery({ ...seriesQuery(address ?? ''), enabled: address !== null });
}

export type RunSeries = ReturnType<typeof useSeries>;

interface Sources {
  /** In the order that was asked for; the same array while the runs are. `null` until all are here. */
  readonly sources: readonly SeriesSource[] | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** The series of several ended runs, for diagrams. */
export function useSources(runs: readonly number[]): Sources {
  const queries = useQueries({ queries: runs.map((run) => seriesQuery(ofRun(run))) });
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
