import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { client, type Schema } from '../api/client';
import type { Problem } from '../api/failure';
import type { DocumentKind } from '../ui/links';

/** Typing goes on for so long before the engine is asked. */
const PAUSE_MS = 350;

/** What the engine thinks of a text. */
export interface Verdict {
  /** `asking`: it has not said yet of the text as it is now; what else stands here is of an earlier one. */
  readonly state: 'asking' | 'valid' | 'wrong' | 'unknown';
  readonly problems: readonly Problem[];
  /** What the text stands for, if it is valid. */
  readonly resolved: Schema<'ValidationTold'>['resolved'];
  /** Of an experiment: how many simulated runs it has. */
  readonly runs: number | null;
  /** Why the engine could not be asked. */
  readonly error: unknown;
}

/** Asks the engine once whether a text holds. Throws `ApiFailure`. */
export async function holds(kind: DocumentKind, toml: string): Promise<boolean> {
  const { data } = await client.POST('/api/v1/validations', { body: { kind, toml, name: null } });
  return data?.valid === true;
}

/**
 * Asks the engine about a text whenever typing pauses. `name` is what the text is or would be called, if that is a name
 * already: then those that name it are asked too.
 */
export function useValidation(kind: DocumentKind, toml: string, name: string | null): Verdict {
  const asked = useDebouncedValue(JSON.stringify({ kind, toml, name }), PAUSE_MS)[0];
  const body = JSON.parse(asked) as { kind: DocumentKind; toml: string; name: string | null };
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['validation', body],
    queryFn: async ({ signal }) => {
      const told = await client.POST('/api/v1/validations', { body, signal });
      return told.data ?? null;
    },
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const late = asked !== JSON.stringify({ kind, toml, name }) || isPlaceholderData;
  const state = error !== null ? 'unknown' : !data || late ? 'asking' : data.valid ? 'valid' : 'wrong';
  return {
    state,
    problems: data?.problems ?? [],
    resolved: data?.resolved ?? null,
    runs: data?.runs ?? null,
    error,
  };
}
