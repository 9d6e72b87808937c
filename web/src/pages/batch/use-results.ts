import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

import { client, type Schema } from '../../api/client';
import type { Happening } from '../../api/events';
import { useHappenings } from '../../api/provider';

/** How often results are read anew while runs end: the controller sums up all of them each time. */
const EVERY_MS = 3000;

/** The results of a batch so far. They come anew while its runs end, but not with each of them. */
export function useResults(id: number) {
  const queries = useQueryClient();
  const key = resultsKey(id);
  const old = useRef(false);
  const listen = useCallback(
    ({ kind, batch }: Happening) => {
      if (batch === id && kind !== 'progress') old.current = true;
    },
    [id],
  );
  useHappenings(listen);
  useEffect(() => {
    const timer = setInterval(() => {
      const state = queries.getQueryState(resultsKey(id));
      if (!old.current || state?.fetchStatus === 'fetching') return;
      old.current = false;
      void queries.invalidateQueries({ queryKey: resultsKey(id) });
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [id, queries]);
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Schema<'Results'>> => {
      const { data } = await client.GET('/api/v1/batches/{id}/results', { params: { path: { id } }, signal });
      if (!data) throw new Error('the results came without content');
      return data;
    },
  });
}

/** Not a path of the API: each event would make it old at once (freshness.ts). */
const resultsKey = (id: number) => ['kept by events', 'results of a batch', id] as const;
