import { useQuery, useQueryClient } from '@tanstack/react-query';

import { client } from '../../api/client';
import { merged, newestOf, type History } from './history';
import { EVERY_MS, isWithout } from './use-emulator';

const KEY = ['emulator-history'];

/** The link's last minutes. They are kept while the page is away, and only what is new is asked for. */
export function useHistory(): History | undefined {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<History> => {
      const before = queries.getQueryData<History>(KEY);
      const query = { after: newestOf(before) };
      const { data: told } = await client.GET('/api/v1/emulator/history', { params: { query }, signal });
      if (told === undefined) throw new Error('the emulator’s history has no content');
      return merged(before, told);
    },
    refetchInterval: ({ state }) => (isWithout(state.error) ? false : EVERY_MS),
    staleTime: 0,
  });
  return data;
}
