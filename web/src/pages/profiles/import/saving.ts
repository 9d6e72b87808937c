import { useEffect, useState } from 'react';

import { useKeeper } from '../../../api/documents';
import { ApiFailure } from '../../../api/failure';
import { notifyDone } from '../../../ui/notify';

/** What a form of the page tells it. The page asks before it is left, once for all of its forms. */
export interface FormProps {
  readonly onUnsaved: (unsaved: boolean) => void;
  readonly onSaved: (name: string) => void;
}

/** Saves a link; tells the page that it is saved, and until then whether there is something to lose. */
export function useSaving({ onUnsaved, onSaved }: FormProps, unsaved: boolean) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const keeper = useKeeper('links');
  useEffect(() => {
    onUnsaved(unsaved);
  }, [onUnsaved, unsaved]);
  const save = async (name: string, toml: string) => {
    setBusy(true);
    setRefused(null);
    try {
      await keeper.create(name, toml);
      notifyDone(`The link ${name} is saved`);
      onSaved(name);
    } catch (failure) {
      setRefused(failure);
    } finally {
      setBusy(false);
    }
  };
  /** Another link has the name. */
  const taken = refused instanceof ApiFailure && refused.code === 'exists';
  return { busy, refused, taken, setRefused, save };
}

export type Saving = ReturnType<typeof useSaving>;
