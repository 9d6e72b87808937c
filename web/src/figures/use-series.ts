import { useQuery } from '@tanstack/react-query';

import { askOverHttp } from '../series/http';
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
