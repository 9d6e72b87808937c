import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import { client, type Schema } from './client';
import { everyPage } from './pages';

type RunLine = Schema<'RunLine'>;

/** Which runs of a batch. */
export interface Wanted {
  readonly batch: number;
  readonly variant?: string;
  readonly link?: string;
  readonly testbed?: RunLine['testbed'];
}

/** All runs of a batch, or of a part of it, in the order of its plan: every page of `GET /runs`. */
export function useAllRuns(wanted: Wanted | null): UseQueryResult<readonly RunLine[]> {
  return useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['all', '/api/v1/runs', wanted],
    queryFn: ({ signal }) => (wanted === null ? [] : allRuns(wanted, signal)),
    enabled: wanted !== null,
  });
}

/** The same as a promise. */
export function allRuns(wanted: Wanted, signal: AbortSignal, most?: number): Promise<readonly RunLine[]> {
  return everyPage(
    (page) =>
      client.GET('/api/v1/runs', { params: { query: { ...wanted, ...page, order: 'oldest' } }, signal }),
    most,
  );
}
