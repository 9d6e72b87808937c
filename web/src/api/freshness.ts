import type { QueryClient, QueryKey } from '@tanstack/react-query';

import type { Happening } from './events';
import { REVISION_PATHS } from './revisions';

/** Which answers a kind of event makes old, by the beginning of their path. */
const STALE: Record<Happening['kind'], readonly string[]> = {
  run: [
    '/api/v1/runs',
    '/api/v1/batches',
    '/api/v1/queue',
    '/api/v1/papers',
    '/api/v1/flows',
    '/api/v1/trends',
  ],
  batch: [
    '/api/v1/batches',
    '/api/v1/runs',
    '/api/v1/queue',
    '/api/v1/papers',
    '/api/v1/flows',
    '/api/v1/tags',
    '/api/v1/trends',
    '/api/v1/costs',
  ],
  document: [
    '/api/v1/links',
    '/api/v1/variants',
    '/api/v1/workloads',
    '/api/v1/experiments',
    ...REVISION_PATHS,
    '/api/v1/papers',
    '/api/v1/flows',
    '/api/v1/previews',
  ],
  scheduler: ['/api/v1/queue', '/api/v1/testbeds', '/api/v1/health'],
  calibration: ['/api/v1/calibrations'],
  search: ['/api/v1/searches'],
  schedule: ['/api/v1/schedules', '/api/v1/batches/{id}/round'],
  progress: [],
};

/** At most so often is anything read anew, however much happens. */
const EVERY_MS = 500;

/** Whether an event makes the answer to this query old. */
export function makesStale(happening: Happening, key: QueryKey): boolean {
  const [, path, init] = key;
  if (typeof path !== 'string' || !STALE[happening.kind].some((start) => path.startsWith(start)))
    return false;
  const id = idOf(init);
  if (id === null) return true;
  if (path.startsWith('/api/v1/runs/')) return happening.run === null || happening.run === id;
  // Which batch it is about, an event of a schedule does not say.
  if (happening.kind === 'schedule' && path.startsWith('/api/v1/batches/')) return true;
  if (path.startsWith('/api/v1/batches/')) return happening.batch === null || happening.batch === id;
  if (path.startsWith('/api/v1/searches/') || path.startsWith('/api/v1/schedules/'))
    return happening.data['id'] === id;
  return true;
}

/** Keeps what pages show as new as the events say. Returns the listener. */
export function refresher(client: QueryClient): (happening: Happening) => void {
  let waiting: Happening[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const happenings = waiting;
    waiting = [];
    void client.invalidateQueries({
      predicate: ({ queryKey }) => happenings.some((happening) => makesStale(happening, queryKey)),
    });
  };
  return (happening) => {
    if (happening.kind === 'progress') return;
    waiting.push(happening);
    timer ??= setTimeout(flush, EVERY_MS);
  };
}

function idOf(init: unknown): number | null {
  const id = (init as { params?: { path?: { id?: unknown } } } | undefined)?.params?.path?.id;
  return typeof id === 'number' ? id : null;
}
