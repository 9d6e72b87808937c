import { useQuery } from '@tanstack/react-query';

import { client } from '../api/client';
import { isRecord, list, record, text } from '../lib/json';

/** Something with a name that an experiment is made of. */
export interface Named {
  readonly name: string;
  readonly title: string;
}

/** An experiment as the engine resolved it when its batch was made. */
export interface Resolved {
  readonly variants: readonly Named[];
  readonly links: readonly Named[];
  /** Of a simulated run, in its own time; null where it is not told. */
  readonly timeLimitS: number | null;
}

/** What is known of an experiment before it has come. */
export const NOT_KNOWN: Resolved = { variants: [], links: [], timeLimitS: null };

/** The experiment of a batch. It never changes. */
export function useResolved(id: number, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['never old', 'experiment of a batch', id],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Resolved> => {
      const { data } = await client.GET('/api/v1/batches/{id}/experiment', {
        params: { path: { id } },
        signal,
      });
      return resolvedOf(data);
    },
  });
}

/** What pages need of a resolved experiment; the engine's document has more, which is left alone. */
export function resolvedOf(value: unknown): Resolved {
  const whole = record(value);
  return {
    variants: namedIn(whole['variants']),
    links: namedIn(whole['links']),
    timeLimitS: typeof whole['time_limit_s'] === 'number' ? whole['time_limit_s'] : null,
  };
}

function namedIn(named: unknown): readonly Named[] {
  return list(named).flatMap((one) => {
    if (!isRecord(one) || typeof one['name'] !== 'string') return [];
    const { name, title } = one;
    return [{ name, title: text(title) || name }];
  });
}
