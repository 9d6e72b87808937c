import { useInterval } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { allRuns } from '../../api/all-runs';
import { type Schema } from '../../api/client';
import type { Happening, HowFar } from '../../api/events';
import { useHappenings } from '../../api/provider';
import { afterHappenings, afterProgress, mustReadAnew } from './run-changes';

type RunLine = Schema<'RunLine'>;

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
export function useRuns(batch: Schema<'BatchView'>): Runs {
  const { id, total } = batch;
  const queries = useQueryClient();
  const wanted = total <= MOST_RUNS;
  const query = useQuery({
    queryKey: runsKey(id),
    queryFn: ({ signal }) => allRuns({ batch: id }, signal, Infinity),
    enabled: wanted,
  });
  const [howFar, setHowFar] = useState<ReadonlyMap<number, HowFar>>(new Map());
  const heard = useRef<Happening[]>([]);
  useHappenings((happening) => {
    if (happening.batch === id) heard.current.push(happening);
  });
  useInterval(
    () => {
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
    },
    EVERY_MS,
    { autoInvoke: true },
  );
  return {
    runs: query.data ?? null,
    error: query.data === undefined ? query.error : null,
    again: () => void query.refetch(),
    howFar,
  };
}

/** Not a path of the API: the events must not make it old as a whole (freshness.ts). */
const runsKey = (id: number) => ['kept by events', 'runs of a batch', id] as const;
