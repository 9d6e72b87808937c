import { useState } from 'react';

import { useAddress } from './use-address';

interface Held {
  readonly there: string;
  readonly text: string;
  /** What was typed and has not been seen in the address yet: the router takes its time, the field must not. */
  readonly wrote: readonly string[];
}

/**
 * What is typed into a field, kept in the address under `key`, or not if it is what stands there `otherwise`. The address
 * is replaced, not pushed.
 */
export function useTyped(key: string, otherwise = ''): readonly [string, (text: string) => void] {
  const { params, change } = useAddress();
  const there = params.get(key) ?? otherwise;
  const [held, setHeld] = useState<Held>({ there, text: there, wrote: [] });
  if (held.there !== there) {
    const own = held.wrote.indexOf(there);
    setHeld(
      own >= 0
        ? { there, text: held.text, wrote: held.wrote.slice(own + 1) }
        : { there, text: there, wrote: [] },
    );
  }
  const type = (text: string) => {
    setHeld((old) => ({ ...old, text, wrote: [...old.wrote, text] }));
    change({ [key]: text === otherwise ? null : text }, 'replace');
  };
  return [held.text, type];
}
