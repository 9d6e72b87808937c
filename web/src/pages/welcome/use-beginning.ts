import { useState } from 'react';

import { client, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { useDocuments, useKeeper } from '../../api/documents';
import type { ScriptEvent } from '../../link/script';
import { EXPERIMENT_NAME, experimentText, LINK_NAME, linkText } from './experiment';

interface Beginning {
  /** Saves link and experiment and queues the runs; the number of the batch, or null if that failed. */
  readonly begin: (events: readonly ScriptEvent[]) => Promise<number | null>;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Runs the experiment of the tour for real. */
export function useBeginning(): Beginning {
  const links = useDocuments('links');
  const experiments = useDocuments('experiments');
  const keepLinks = useKeeper('links');
  const keepExperiments = useKeeper('experiments');
  const keys = useCreationKeys();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const begin = async (events: readonly ScriptEvent[]): Promise<number | null> => {
    setBusy(true);
    setError(null);
    try {
      const link = free(LINK_NAME, links.data);
      const toml = linkText(events);
      await keepLinks.create(link, toml, keys.keyOf({ link, toml }));
      const experiment = free(EXPERIMENT_NAME, experiments.data);
      const text = experimentText(link);
      await keepExperiments.create(experiment, text, keys.keyOf({ experiment, text }));
      const body: Schema<'BatchGiven'> = { experiment, testbed: 'sim', captures: true, priority: 0 };
      const { data } = await client.POST('/api/v1/batches', {
        body,
        params: { header: { 'Idempotency-Key': keys.keyOf(body) } },
      });
      for (const request of [{ link, toml }, { experiment, text }, body]) keys.done(request);
      return data?.id ?? null;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { begin, busy: busy || links.isPending || experiments.isPending, error };
}

/** The name, with a number if there is one of it. */
function free(name: string, there: readonly { readonly name: string }[] | undefined): string {
  const taken = new Set(there?.map((one) => one.name));
  let n = 1;
  while (taken.has(n === 1 ? name : `${name}-${n}`)) n++;
  return n === 1 ? name : `${name}-${n}`;
}
