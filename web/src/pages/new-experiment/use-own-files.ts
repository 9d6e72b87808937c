import { useQuery } from '@tanstack/react-query';

import { readDocument, type Shelf } from '../../api/documents';
import type { Draft } from './draft';

/** A document of the user's own that an experiment names, or that such a one builds on. */
export interface OwnFile {
  readonly name: string;
  readonly toml: string;
}

const NONE: readonly OwnFile[] = [];

/** The user's own documents behind a draft: no one has them without this service. */
export function useOwnFiles({ links, variants, live, workload }: Draft): readonly OwnFile[] {
  const named: readonly (readonly [Shelf, readonly string[]])[] = [
    ['links', links],
    ['variants', [...variants, ...live]],
    ['workloads', workload === '' ? [] : [workload]],
  ];
  const { data } = useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['behind', '/api/v1/links', named],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(named.map(([shelf, names]) => ownOf(shelf, names, signal)));
      return found.flat();
    },
  });
  return data ?? NONE;
}

async function ownOf(
  shelf: Shelf,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly OwnFile[]> {
  const found = new Map<string, OwnFile>();
  const wanted = [...names];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found.has(name)) continue;
    const { origin, toml } = await readDocument(shelf, name, signal);
    if (origin !== 'own') continue;
    found.set(name, { name, toml });
    const base = /^extends\s*=\s*"([^"]+)"/m.exec(toml)?.[1];
    if (base !== undefined) wanted.push(base);
  }
  return [...found.values()];
}
