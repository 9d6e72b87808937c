import type { TomlTable } from 'smol-toml';

import { api } from '../api/client';
import { useDocument } from '../api/documents';
import { isScenario } from '../lib/scenario';
import { extendingLink } from './document';

export interface NamedLink {
  /** What it says with all that it has from others; null while that is not known, and of one that is not valid. */
  readonly table: TomlTable | null;
  /** Why it cannot be read. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** A link by what names it: a document, or a scenario, which is none and which the engine reads. Null asks for nothing. */
export function useNamedLink(name: string | null): NamedLink {
  const scenario = name !== null && isScenario(name);
  const document = useDocument('links', scenario ? null : name);
  const toml = scenario ? extendingLink({ title: name, base: name, events: [] }) : '';
  const read = api.useQuery(
    'post',
    '/api/v1/validations',
    { body: { kind: 'link', toml, beside: [], testbed: 'sim' } },
    // What a scenario is stays the same.
    { enabled: scenario, staleTime: Infinity },
  );
  const [query, resolved] = scenario ? [read, read.data?.resolved] : [document, document.data?.resolved];
  return {
    table: resolved && 'resolved' in resolved ? (resolved.resolved as TomlTable) : null,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
