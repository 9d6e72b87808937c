import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';

import { readDocument } from '../../api/documents';
import { parsed } from '../../lib/toml-edit';
import { inheritedFrom, NOTHING, type Inherited, type Layer } from './inherited';

/** What an experiment has from the one of that name, and from those that that one extends; of null nothing. */
export function useInherited(base: string | null): UseQueryResult<Inherited> {
  return useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['inherited', '/api/v1/experiments', base],
    queryFn: async ({ signal }) => {
      const layers: Layer[] = [];
      for (let name = base; name !== null && layers.every((layer) => layer.name !== name);) {
        const table = parsed((await readDocument('experiments', name, signal)).toml);
        layers.push({ name, table });
        name = typeof table['extends'] === 'string' ? table['extends'] : null;
      }
      return layers.length === 0 ? NOTHING : inheritedFrom(layers);
    },
    placeholderData: keepPreviousData,
  });
}
