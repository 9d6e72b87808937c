import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import { client, type Schema } from './client';

type RunLine = Schema<'RunLine'>;

/** Which runs of a batch. */
export interface Wanted {
  readonly batch: number;
  readonly variant?: string;
  readonly link?: string;
  readonly testbed?: RunLine['testbed'];
}

/** The API gives no longer pages. */
const PAGE = 500;
/** Beyond so many a list is no help to a person, and the rest is left out. */
const MOST = 5000;

/** All runs of a batch, or of a part of it, in the order of its plan: every page of `GET /runs`. */
export function useAllRuns(wanted: Wanted | null): UseQueryResult<readonly RunLine[]> {
  return useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['all', '/api/v1/runs', wanted],
    queryFn: ({ signal }) => (wanted === null ? [] : allRuns(wanted, signal)),
    enabled: wanted !== null,
  });
}

async function allRuns(wanted: Wanted, signal: AbortSignal): Promise<readonly RunLine[]> {
  const runs: RunLine[] = [];
  let cursor: string | null = null;
  do {
    const page = await pageOf(wanted, cursor, signal);
    runs.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && runs.length < MOST);
  return runs;
}

async function pageOf(
  wanted: Wanted,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Schema<'Page_RunLine_'>> {
  const query = { ...wanted, limit: PAGE, order: 'oldest' as const, ...(cursor === null ? {} : { cursor }) };
  const { data } = await client.GET('/api/v1/runs', { params: { query }, signal });
  return data ?? { items: [], next: null };
}
