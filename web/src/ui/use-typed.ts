import { useEffect, useState } from 'react';

import { useAddress } from './use-address';

/** How long the field goes by its own text: after the address has it, and if the address never does. */
const SETTLED_MS = 500;
const GIVEN_UP_MS = 5000;

/**
 * What is typed into a field, kept in the address under `key`, or not if it is what stands there `otherwise`. The address
 * is replaced, not pushed. It is drawn late and not always in the order of the keys: the field shows what was typed.
 */
export function useTyped(key: string, otherwise = ''): readonly [string, (text: string) => void] {
  const { params, change } = useAddress();
  const there = params.get(key) ?? otherwise;
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => setTyped(null), typed === there ? SETTLED_MS : GIVEN_UP_MS);
    return () => clearTimeout(timer);
  }, [typed, there]);
  const type = (text: string) => {
    setTyped(text);
    change({ [key]: text === otherwise ? null : text }, 'replace');
  };
  return [typed ?? there, type];
}
