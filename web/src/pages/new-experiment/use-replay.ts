import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import { client } from '../../api/client';
import type { Replay, Replayed } from './replay';

/** What the packets of a run met, as a link; null asks for nothing. It stays as it is while the run’s files do. */
export function useReplay(replay: Replay | null): UseQueryResult<Replayed> {
  return useQuery({
    enabled: replay !== null,
    queryKey: ['never old', 'replay of a run', replay],
    staleTime: Infinity,
    // The rows may be megabytes: they are not kept for pages that nobody looks at.
    gcTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) => {
      const { run, by } = replay ?? { run: 0, by: 'packet' };
      const { data } = await client.GET('/api/v1/runs/{id}/replay', {
        params: { path: { id: run }, query: { by } },
        signal,
      });
      if (data === undefined) throw new Error('the replay came without content');
      return data;
    },
  });
}
