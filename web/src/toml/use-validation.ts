import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { client, type Schema } from '../api/client';
import type { Problem } from '../api/failure';
import type { DocumentKind } from '../ui/links';

/** Typing goes on for so long before the engine is asked. */
const PAUSE_MS = 350;

/** A document that another one builds on. */
export type Part = Schema<'PartView'>;

/** With what, and for where, a text is checked. */
export type Context = Partial<Pick<Schema<'ValidationGiven'>, 'name' | 'beside' | 'testbed' | 'plane'>>;

/** What the engine thinks of a text. */
export interface Verdict {
  /** `asking`: it has not said yet of the text as it is now; what else stands here is of an earlier one. */
  readonly state: 'asking' | 'valid' | 'wrong' | 'unknown';
  readonly problems: readonly Problem[];
  /** What the text stands for, if it is valid. */
  readonly resolved: Schema<'ValidationView'>['resolved'];
  /** Of an experiment: how many runs it has. */
  readonly runs: number | null;
  /** Of an experiment: what its runs are likely to need. */
  readonly estimate: Schema<'ValidationView'>['estimate'];
  /** What it builds on, as far as that is kept already. */
  readonly buildsOn: readonly Part[];
  /** Why the engine could not be asked. */
  readonly error: unknown;
}

const NONE: readonly Part[] = [];

/** Asks the engine once whether a text holds. Throws `ApiFailure`. */
export async function holds(kind: DocumentKind, toml: string, context: Context = {}): Promise<boolean> {
  const { data } = await client.POST('/api/v1/validations', { body: bodyOf(kind, toml, context) });
  return data?.valid === true;
}

/**
 * Asks the engine about a text whenever typing pauses. The name in the context is what the text is or would be called, if
 * that is a name already: then those that name it are asked too.
 */
export function useValidation(kind: DocumentKind, toml: string, context: Context = {}): Verdict {
  const now = JSON.stringify(bodyOf(kind, toml, context));
  const asked = useDebouncedValue(now, PAUSE_MS)[0];
  const body = JSON.parse(asked) as Schema<'ValidationGiven'>;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['validation', body],
    queryFn: async ({ signal }) => {
      const answer = await client.POST('/api/v1/validations', { body, signal });
      return answer.data ?? null;
    },
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const late = asked !== now || isPlaceholderData;
  const state = error !== null ? 'unknown' : !data || late ? 'asking' : data.valid ? 'valid' : 'wrong';
  return {
    state,
    problems: data?.problems ?? [],
    resolved: data?.resolved ?? null,
    runs: data?.runs ?? null,
    estimate: data?.estimate ?? null,
    buildsOn: data?.builds_on ?? NONE,
    error,
  };
}

function bodyOf(kind: DocumentKind, toml: string, context: Context): Schema<'ValidationGiven'> {
  return { kind, toml, name: null, beside: [], testbed: 'sim', ...context };
}
