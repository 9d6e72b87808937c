import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';

import { useDocument, type DocumentView } from '../../api/documents';
import { EMPTY, INHERITABLE, withText, type Draft } from './draft';
import { replayIn, replaying, type Replay, type Replayed } from './replay';
import { useReplay } from './use-replay';

export interface Drafting {
  /** Null while what it begins from is read. */
  readonly draft: Draft | null;
  readonly change: (changes: Partial<Draft>) => void;
  /** Forgets the draft, and begins anew from where it began. */
  readonly reset: () => void;
  /** Whether it was begun before the page was opened, and not saved. */
  readonly restored: boolean;
  /** Forgets the draft for the next time; it is still on show. */
  readonly forget: () => void;
  /** The experiment that it began as a copy of. */
  readonly from: string | null;
  /** The experiment of the user's own that it changes. */
  readonly edited: string | null;
  /** What it began as a replay of. */
  readonly replay: Replay | null;
  /** Why there is nothing to begin from. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** The draft of this tab: it survives a reload, and going away and back. `?from` begins with a copy, `?edit` with the thing itself, `?replay` with what a run was of. */
export function useDraft(): Drafting {
  const [params] = useSearchParams();
  const from = params.get('from');
  const edited = params.get('edit');
  const key = `windlull-experiment ${params.toString()}`;
  const replay = replayIn(params);
  const origin = useDocument('experiments', edited ?? from);
  const replayed = useReplay(replay);
  const [held, setHeld] = useState<{ key: string; draft: Draft | null }>(() => ({ key, draft: stored(key) }));
  const [restored, setRestored] = useState(held.draft !== null);
  const [kept, setKept] = useState(true);
  const begin = replay === null ? beginning(params, origin.data) : replayBegun(replayed.data);
  const draft = held.key === key ? (held.draft ?? begin) : (stored(key) ?? begin);
  const hold = (next: Draft | null) => setHeld({ key, draft: next });
  useEffect(() => {
    if (!kept || held.key !== key) return;
    if (held.draft === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(held.draft, tagged));
  }, [held, key, kept]);
  return {
    draft,
    change: (changes) => {
      if (draft) hold({ ...draft, ...changes });
    },
    restored: restored && held.key === key,
    reset: () => {
      setRestored(false);
      hold(null);
    },
    forget: () => {
      setKept(false);
      sessionStorage.removeItem(key);
    },
    from,
    edited,
    replay,
    error: replay === null ? origin.error : replayed.error,
    retry: () => void (replay === null ? origin.refetch() : replayed.refetch()),
  };
}

/** What a new draft is: empty with what the address names, or what an experiment says. */
function beginning(params: URLSearchParams, origin: DocumentView | undefined): Draft | null {
  const edited = params.get('edit');
  if (params.get('from') === null && edited === null) {
    const link = params.getAll('link');
    const workload = params.get('workload');
    const extended = params.get('extends');
    return {
      ...EMPTY,
      links: link,
      variants: params.getAll('variant'),
      ...(workload !== null && { workload }),
      ...(extended !== null && { extends: extended, inherits: INHERITABLE }),
    };
  }
  if (!origin) return null;
  const read = withText(EMPTY, origin.toml);
  const base: Draft = 'wrong' in read ? { ...EMPTY, text: origin.toml } : read;
  if (edited === null)
    return { ...base, title: base.title === null ? null : `${base.title} (copy)`, copyOf: origin.name };
  const made = { experiment: { name: origin.name, toml: origin.toml, revision: origin.revision ?? 0 } };
  return { ...base, name: origin.name, made };
}

function replayBegun(replayed: Replayed | undefined): Draft | null {
  return replayed === undefined ? null : replaying(replayed);
}

function stored(key: string): Draft | null {
  const text = sessionStorage.getItem(key);
  if (text === null) return null;
  try {
    return { ...EMPTY, ...(JSON.parse(text, untagged) as Partial<Draft>) };
  } catch {
    return null;
  }
}

/** Numbers of more than 53 bits have no JSON of their own. */
function tagged(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value;
}

function untagged(_key: string, value: unknown): unknown {
  const digits = typeof value === 'object' && value !== null && 'bigint' in value ? value.bigint : null;
  return typeof digits === 'string' ? BigInt(digits) : value;
}
