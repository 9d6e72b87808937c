import { useQuery, type UseQueryResult } from '@tanstack/react-query';

import { api, client, type Schema } from './client';
import { everyPage } from './pages';

type Kind = Schema<'DocumentView'>['kind'];
export type RevisionLine = Schema<'RevisionLine'>;
export type RevisionView = Schema<'RevisionView'>;
export type DeletedDocument = Schema<'DeletedView'>;

/** Where the answers of this file are asked for: what any change of a document makes old. */
export const REVISION_PATHS = ['/api/v1/history', '/api/v1/deleted-documents'] as const;

/** What is kept of a document, newest first. The service keeps fewer of one than a page has. */
export function useHistory(kind: Kind, name: string) {
  return api.useQuery('get', '/api/v1/history/{kind}/{name}', {
    params: { path: { kind, name }, query: { limit: 500 } },
  });
}

/** A revision with its text, and what changed since another. */
export function useRevision(kind: Kind, name: string, revision: number, since: number | null) {
  return api.useQuery('get', '/api/v1/revisions/{kind}/{revision}/{name}', {
    params: { path: { kind, name, revision }, query: since === null ? {} : { since } },
  });
}

/** The deleted documents of a kind that can be restored, by name: every page of the list. */
export function useDeleted(kind: Kind): UseQueryResult<readonly DeletedDocument[]> {
  return useQuery({
    queryKey: ['all', REVISION_PATHS[1], kind],
    queryFn: ({ signal }) =>
      everyPage((query) =>
        client.GET('/api/v1/deleted-documents', { params: { query: { kind, ...query } }, signal }),
      ),
  });
}

/** Forgets what a document said before; all of it, if it was deleted. Throws `ApiFailure`. */
export async function forget(kind: Kind, name: string): Promise<void> {
  await client.DELETE('/api/v1/history/{kind}/{name}', { params: { path: { kind, name } } });
}
