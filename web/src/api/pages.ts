interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** The API gives no longer pages. */
const LIMIT = 500;

/** Beyond so many a list is no help to a person, and the rest is left out. */
const MOST = 5000;

/** The pages of a list, one after the other, until there are no more or they have `most` things. */
export async function everyPage<T>(
  read: (query: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ data?: Page<T> | undefined }>,
  most = MOST,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const { data }: { data?: Page<T> | undefined } = await read({
      limit: LIMIT,
      ...(cursor !== null && { cursor }),
    });
    items.push(...(data?.items ?? []));
    cursor = data?.next ?? null;
  } while (cursor !== null && items.length < most);
  return items;
}
