import { useQuery } from '@tanstack/react-query';

import { readDocument } from '../../api/documents';
import type { Part } from '../../toml/use-validation';
import type { DocumentKind } from '../../ui/links';

/** A document of the user's own that an experiment builds on. */
export interface OwnFile {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly toml: string;
}

const NONE: readonly OwnFile[] = [];

/** The texts of the user's own documents among those that an experiment builds on: no one has them without this service. */
export function useOwnFiles(buildsOn: readonly Part[]): readonly OwnFile[] {
  const own = buildsOn.filter(({ origin }) => origin === 'own');
  const { data } = useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['behind', '/api/v1/links', own],
    queryFn: ({ signal }) =>
      Promise.all(
        own.map(async ({ kind, name }) => {
          const { toml } = await readDocument(`${kind}s`, name, signal);
          return { kind, name, toml };
        }),
      ),
  });
  return data ?? NONE;
}
