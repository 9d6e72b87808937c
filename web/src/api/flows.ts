import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api, client, type Schema } from './client';

export type Flows = Schema<'FlowsView'>;
export type Flow = Schema<'FlowView'>;

/** What one flow gets through each link, as far as it was measured. */
export const useFlows = () => api.useQuery('get', '/api/v1/flows');

/** Has links measured of which that is not known. */
export function useMeasuring() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (links: readonly string[]) => client.POST('/api/v1/flows', { body: { links: [...links] } }),
    onSuccess: ({ data }) => {
      if (data !== undefined) queries.setQueryData(api.queryOptions('get', '/api/v1/flows').queryKey, data);
    },
  });
}
