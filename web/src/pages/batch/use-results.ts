import { useInterval } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

import { client, type Schema } from '../../api/client';
import { useHappenings } from '../../api/provider';

/** How often results are read anew while runs end: the controller sums up all of them each time. */
const EVERY_MS = 3000;

/** The results of a batch so far. They come anew while its runs end, but not with each of them. */
export function useResults(id: number) {
  const queries = useQueryClient();
  // Not a path of the API: each event would make it old at once (freshness.ts).
  const key = ['kept by events', 'results of a batch', id] as const;
  const old = useRef(false);
  useHappenings(({ kind, batch }) => {
    if (batch === id && kind !== 'progress') old.current = true;
  });
  useInterval(
    () => {
      const state = queries.getQueryState(key);
      if (!old.current || state?.fetchStatus === 'fetching') return;
      old.current = false;
      void queries.invalidateQueries({ queryKey: key });
    },
    EVERY_MS,
    { autoInvoke: true },
  );
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Schema<'Results'>> => {
      const { data } = await client.GET('/api/v1/batches/{id}/results', { params: { path: { id } }, signal });
      if (!data) throw new Error('the results came without content');
      return data;
    },
  });
}
