import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';

import { client, type Schema } from './client';
import { everyPage } from './pages';
import { REVISION_PATHS } from './revisions';

/** The four shelves of documents, as the API's addresses have them. */
export type Shelf = 'links' | 'variants' | 'workloads' | 'experiments';

export type DocumentLine = Schema<'DocumentLine'>;
export type DocumentView = Schema<'DocumentView'>;

/** The shelves answer alike, so the types of one of them stand for all. */
const listPath = (shelf: Shelf) => `/api/v1/${shelf}` as '/api/v1/links';
const onePath = (shelf: Shelf) => `/api/v1/${shelf}/{name}` as '/api/v1/links/{name}';

/** All documents of a shelf by name: every page of the list. */
export function useDocuments(shelf: Shelf): UseQueryResult<readonly DocumentLine[]> {
  return useQuery({
    // The second part is what the events look at (freshness.ts).
    queryKey: ['all', listPath(shelf)],
    queryFn: ({ signal }) => everyPage((query) => client.GET(listPath(shelf), { params: { query }, signal })),
  });
}

/** One document in full; null asks for nothing. */
export function useDocument(shelf: Shelf, name: string | null): UseQueryResult<DocumentView> {
  return useQuery({
    queryKey: ['one', onePath(shelf), name],
    queryFn: ({ signal }) => readDocument(shelf, name ?? '', signal),
    enabled: name !== null,
  });
}

/** What can be done to the user's own documents of a shelf. All throw `ApiFailure`. */
export interface Keeper {
  /** With an idempotency key (creation-key.ts) a request that is tried again makes nothing twice. */
  readonly create: (name: string, toml: string, key?: string) => Promise<DocumentView>;
  /** `revision` is the one that the change begins from: a newer one is not overwritten (412). */
  readonly change: (name: string, toml: string, revision: number) => Promise<DocumentView>;
  readonly remove: (name: string, revision: number) => Promise<void>;
  /** Gives a document the text of an earlier revision; `revision` is the one it has now, null if it was deleted. */
  readonly restore: (name: string, earlier: number, revision: number | null) => Promise<DocumentView>;
}

/** Creates, changes and deletes documents; lists and documents that are shown are read anew after it. */
export function useKeeper(shelf: Shelf): Keeper {
  const queries = useQueryClient();
  // The events say the same a moment later; without a stream of them nobody would.
  const readAnew = async () => {
    const old = [listPath(shelf) as string, ...REVISION_PATHS];
    await queries.invalidateQueries({
      predicate: ({ queryKey: [, path] }) =>
        typeof path === 'string' && old.some((start) => path.startsWith(start)),
    });
  };
  return {
    create: async (name, toml, key) => {
      const { data } = await client.POST(listPath(shelf), {
        body: { name, toml },
        ...(key !== undefined && { params: { header: { 'Idempotency-Key': key } } }),
      });
      await readAnew();
      return present(data);
    },
    change: async (name, toml, revision) => {
      const { data } = await client.PUT(onePath(shelf), {
        params: { path: { name }, header: { 'If-Match': tagOf(revision) } },
        body: { toml },
      });
      await readAnew();
      return present(data);
    },
    remove: async (name, revision) => {
      await client.DELETE(onePath(shelf), {
        params: { path: { name }, header: { 'If-Match': tagOf(revision) } },
      });
      queries.removeQueries({ queryKey: ['one', onePath(shelf), name] });
      await readAnew();
    },
    restore: async (name, earlier, revision) => {
      const { data } = await (revision === null
        ? client.POST(listPath(shelf), { body: { name, restore: earlier } })
        : client.PUT(onePath(shelf), {
            params: { path: { name }, header: { 'If-Match': tagOf(revision) } },
            body: { restore: earlier },
          }));
      await readAnew();
      return present(data);
    },
  };
}

/** Reads a document from the controller, whatever is remembered of it. */
export async function readDocument(shelf: Shelf, name: string, signal?: AbortSignal): Promise<DocumentView> {
  const { data } = await client.GET(onePath(shelf), {
    params: { path: { name } },
    ...(signal && { signal }),
  });
  return present(data);
}

/** Of an ETag the part before the dash alone is compared (docs/api.md, Pages, ETags, creations). */
const tagOf = (revision: number) => `"${revision}-"`;

/** Answers that are no success have been thrown by the client; one without a body is a fault of the controller. */
function present<T>(data: T | undefined): T {
  if (data === undefined) throw new Error('the controller’s answer is empty');
  return data;
}
