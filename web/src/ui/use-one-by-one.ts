import { useState } from 'react';

import { notifyDone, notifyFailure } from './notify';

/**
 * Does something to one after the other, so that thousands do not meet the controller at once. The first failure ends it.
 * `onDone` is called when it has come to its end, also to a bad one.
 */
export function useOneByOne(inWords: (count: number) => string, onDone: () => void | Promise<void>) {
  const [busy, setBusy] = useState(false);
  const work = async <One>(all: readonly One[], done: string, act: (one: One) => Promise<unknown>) => {
    setBusy(true);
    let count = 0;
    try {
      for (const one of all) {
        await act(one);
        count += 1;
      }
      notifyDone(`${inWords(count)} ${done}`);
    } catch (error) {
      notifyFailure(`Only ${count} of ${inWords(all.length)} ${done}`, error);
    } finally {
      setBusy(false);
      await onDone();
    }
  };
  return {
    busy,
    each: <One>(all: readonly One[], done: string, act: (one: One) => Promise<unknown>) =>
      void work(all, done, act),
  };
}
