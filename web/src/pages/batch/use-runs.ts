import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';

import { client, type Schema } from '../../api/client';
import type { Happening } from '../../api/events';
import { useHappenings } from '../../api/provider';
import { afterHappenings, afterProgress, mustReadAnew, type HowFar } from './run-changes';

type RunLine = Schema<'RunLine'>;

/** The API gives no longer pages. */
const PAGE = 500;
/** Beyond so many runs a grid of all tells nobody anything, and is not read. */
export const MOST_RUNS = 20_000;
/** How often what happened is shown: an eye follows no faster, and thousands of runs may end in a second. */
const EVERY_MS = 250;

interface Runs {
  /** In the order of the plan; null until they are read, and where they are too many. */
  readonly runs: readonly RunLine[] | null;
  readonly error: unknown;
  readonly again: () => void;
  /** Of live runs under way, by number. */
  readonly howFar: ReadonlyMap<number, HowFar>;
}

/**
 * All runs of a batch, read once and from then on kept by what the events say: reading thousands anew whenever one of
 * them ends would be the most that the controller has to do.
 */
export function useRuns(batch: Schema<'BatchTold'>): Runs {
  const { id, total } = batch;
  const queries = useQueryClient();
  const wanted = total <= MOST_RUNS;
  const query = useQuery({
    queryKey: runsKey(id),
    queryFn: ({ signal }) => readAll(id, signal),
    enabled: wanted,
  });
  const [howFar, setHowFar] = useState<ReadonlyMap<number, HowFar>>(new Map());
  const heard = useRef<Happening[]>([]);
  const listen = useCallback(
    (happening: Happening) => {
      if (happening.batch === id) heard.current.push(happening);
    },
    [id],
  );
  useHappenings(listen);
  useEffect(() => {
    const timer = setInterval(() => {
      const state = queries.getQueryState<readonly RunLine[]>(runsKey(id));
      // What happens while the runs are read may be missing in what is read: it waits, and is added then.
      if (heard.current.length === 0 || state?.fetchStatus === 'fetching') return;
      const happenings = heard.current;
      heard.current = [];
      setHowFar((before) => afterProgress(before, happenings));
      const runs = state?.data;
      if (runs === undefined) return;
      queries.setQueryData(runsKey(id), afterHappenings(runs, happenings));
      if (mustReadAnew(runs, happenings)) void queries.invalidateQueries({ queryKey: runsKey(id) });
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [id, queries]);
  return {
    runs: query.data ?? null,
    error: query.data === undefined ? query.error : null,
    again: () => void query.refetch(),
    howFar,
  };
}

/** Not a path of the API: the events must not make it old as a whole (freshness.ts). */
const runsKey = (id: number) => ['kept by events', 'runs of a batch', id] as const;

async function readAll(batch: number, signal: AbortSignal): Promise<readonly RunLine[]> {
  const runs: RunLine[] = [];
  let cursor: string | null = null;
  do {
    const page = await readPage(batch, cursor, signal);
    runs.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return runs;
}

async function readPage(
  batch: number,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Schema<'Page_RunLine_'>> {
  const query = { batch, limit: PAGE, order: 'oldest' as const, ...(cursor === null ? {} : { cursor }) };
  const { data } = await client.GET('/api/v1/runs', { params: { query }, signal });
  return data ?? { items: [], next: null };
}
