import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';

import { api } from '../api/client';
import type { Preview } from './preview-model';

/** Which history of which link, and until when. */
export interface Asked {
  /** The text of the link; null if there is none yet. */
  readonly toml: string | null;
  readonly seed: string;
  readonly repetition: number;
  /** How long, from the start of a run: whole seconds from 1 to 3600. */
  readonly seconds: number;
  /** What the link is called, if it has a name already. */
  readonly name?: string | undefined;
}

export interface PreviewState {
  /** The newest preview; while another one is awaited or cannot be had, the one before. */
  readonly preview: Preview | null;
  readonly waiting: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** While someone draws, the engine is asked when the hand rests. */
const RESTS_MS = 250;

/** What the engine says that the link does over time. */
export function usePreview(asked: Asked): PreviewState {
  const [{ toml, seed, repetition, seconds, name }] = useDebouncedValue(asked, RESTS_MS);
  const body = { toml: toml ?? '', seed, repetition, seconds, ...(name !== undefined && { name }) };
  const query = api.useQuery(
    'post',
    '/api/v1/previews',
    { body },
    {
      enabled: toml !== null,
      placeholderData: keepPreviousData,
      // The same text gives the same link, unless one that it builds on changes; those are the user's own and few.
      staleTime: 10_000,
    },
  );
  // While a link cannot be as it is, the drawing of what was before stays where it is.
  const [last, setLast] = useState<Preview | null>(null);
  if (query.data !== undefined && query.data !== last) setLast(query.data);
  return {
    preview: query.data ?? last,
    waiting: query.isFetching,
    // The client throws ApiFailure; the document's own shape of errors never comes.
    error: query.error as unknown,
    retry: () => void query.refetch(),
  };
}

/** What a link of this name does over time; asked for only where it is `wanted`. */
export function useNamedPreview(name: string, seconds: number, wanted: boolean) {
  return api.useQuery(
    'post',
    '/api/v1/previews',
    { body: { name, seconds, repetition: 1 } },
    { enabled: wanted, staleTime: 60_000 },
  );
}
