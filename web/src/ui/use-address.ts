import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

type Changes = Readonly<Record<string, string | readonly string[] | null>>;

interface Address {
  readonly params: URLSearchParams;
  /** Changes some of the parameters; null or an empty list takes one away. What is chosen pushes, what is typed replaces. */
  readonly change: (changes: Changes, how: 'push' | 'replace') => void;
}

/** What a page keeps in its address, so that a link to it restores what one saw. */
export function useAddress(): Address {
  const [params, setParams] = useSearchParams();
  const change = useCallback(
    (changes: Changes, how: 'push' | 'replace') => {
      setParams((old) => changed(old, changes), { replace: how === 'replace', preventScrollReset: true });
    },
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
