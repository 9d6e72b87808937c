import { useQuery } from '@tanstack/react-query';

import { client, type Schema } from '../../api/client';

/**
 * Asks whether variants differ. `of` is the path, and what it is called with, of what the verdicts depend on: the events
 * look at these (api/freshness.ts).
 */
export function useComparison(asked: Schema<'ComparisonGiven'>, of: readonly unknown[], enabled = true) {
  return useQuery({
    queryKey: ['comparison', ...of, asked],
    queryFn: async ({ signal }) => {
      const { data } = await client.POST('/api/v1/comparisons', { body: asked, signal });
      if (data === undefined) throw new Error('the comparison is empty');
      return data;
    },
    enabled,
    placeholderData: (before) => before,
  });
}
