import { useDeferredValue, type ReactNode } from 'react';

/** What a page may show a moment later than the rest: it is drawn after that, in pieces, and yields to hands. */
export function Later({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
