import { useCallback } from 'react';
import { useSearchParams, type NavigateOptions } from 'react-router';

type Changes = Readonly<Record<string, string | readonly string[] | null>>;

interface Address {
  readonly params: URLSearchParams;
  /** Changes some of the parameters; null or an empty list takes one away. What is chosen pushes, what is typed replaces. */
  readonly change: (changes: Changes, how: 'push' | 'replace') => void;
}

type SetSearch = (next: (now: URLSearchParams) => URLSearchParams, options: NavigateOptions) => void;

/**
 * The parameters of the address as they are drawn, and what changes them from what they are by now: pages are drawn a
 * moment after the address has changed, and what is done in that moment must not undo it.
 */
export function useSearch(): readonly [URLSearchParams, SetSearch] {
  const [params, setParams] = useSearchParams();
  const set = useCallback<SetSearch>(
    (next, options) => setParams(next(new URLSearchParams(window.location.search)), options),
    [setParams],
  );
  return [params, set];
}

/** What a page keeps in its address, so that a link to it restores what one saw. */
export function useAddress(): Address {
  const [params, setParams] = useSearch();
  const change = useCallback(
    (changes: Changes, how: 'push' | 'replace') =>
      setParams((now) => changed(now, changes), { replace: how === 'replace', preventScrollReset: true }),
    [setParams],
  );
  return { params, change };
}

/** Parameters with some of them changed; the others keep their places. */
export function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries(changes)) {
    next.delete(key);
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) next.append(key, one);
  }
  return next;
}
