import { useState } from 'react';

import { client, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { useKeeper, type Keeper } from '../../api/documents';
import type { Draft, Made, MadeKind } from './draft';
import type { NewDocument, Outcome } from './documents';

type Step = MadeKind | 'batch';

/** What is under way, or what went wrong. */
export type Saving =
  | { readonly state: 'idle' }
  | { readonly state: 'busy'; readonly step: Step }
  | { readonly state: 'failed'; readonly step: Step; readonly error: unknown };

export interface Saver {
  readonly saving: Saving;
  /** Saves what is not saved yet, one after the other. Null if something went wrong; what was made stays known. */
  readonly save: (draft: Draft, outcome: Outcome) => Promise<string | null>;
  /** The same, and then queues the runs. Gives the batch's number. */
  readonly run: (draft: Draft, outcome: Outcome) => Promise<number | null>;
  /** Deletes what was made on the way to a failure. */
  readonly takeBack: (draft: Draft) => Promise<void>;
}

/** Saves an experiment with what it needs. A failure leaves `made` behind, from which saving again goes on. */
export function useSaving(onMade: (made: Draft['made']) => void): Saver {
  const [saving, setSaving] = useState<Saving>({ state: 'idle' });
  const keys = useCreationKeys();
  const keepers: Record<MadeKind, Keeper> = {
    link: useKeeper('links'),
    workload: useKeeper('workloads'),
    experiment: useKeeper('experiments'),
  };

  const saveAll = async (draft: Draft, outcome: Outcome): Promise<string | null> => {
    let { made } = draft;
    for (const kind of ['link', 'workload', 'experiment'] as const) {
      const wanted = outcome[kind];
      if (wanted === null) continue;
      setSaving({ state: 'busy', step: kind });
      try {
        const now = await saved(kind, keepers[kind], wanted, made[kind]);
        made = { ...made, [kind]: now };
        onMade(made);
      } catch (error) {
        setSaving({ state: 'failed', step: kind, error });
        return null;
      }
    }
    return outcome.experiment.name;
  };

  const saved = async (kind: MadeKind, keeper: Keeper, wanted: NewDocument, made: Made | undefined) => {
    const { name, toml } = wanted;
    if (made?.name === name) {
      if (made.toml === toml) return made;
      const stored = await keeper.change(name, toml, made.revision);
      return { name, toml, revision: stored.revision ?? made.revision };
    }
    const request = { kind, ...wanted };
    const stored = await keeper.create(name, toml, keys.keyOf(request));
    keys.done(request);
    return { name, toml, revision: stored.revision ?? 1 };
  };

  return {
    saving,
    save: async (draft, outcome) => {
      const name = await saveAll(draft, outcome);
      if (name !== null) setSaving({ state: 'idle' });
      return name;
    },
    run: async (draft, outcome) => {
      const experiment = await saveAll(draft, outcome);
      if (experiment === null) return null;
      setSaving({ state: 'busy', step: 'batch' });
      const body: Schema<'BatchGiven'> = {
        experiment,
        testbed: draft.testbed,
        captures: draft.captures,
        priority: 0,
        ...(draft.testbed !== 'sim' && draft.plane !== null && { plane: draft.plane }),
      };
      try {
        const key = keys.keyOf(body);
        const { data } = await client.POST('/api/v1/batches', {
          body,
          params: { header: { 'Idempotency-Key': key } },
        });
        keys.done(body);
        setSaving({ state: 'idle' });
        return data?.id ?? null;
      } catch (error) {
        setSaving({ state: 'failed', step: 'batch', error });
        return null;
      }
    },
    takeBack: async ({ made }) => {
      let left = made;
      // What names others goes first.
      for (const kind of ['experiment', 'workload', 'link'] as const) {
        const document = left[kind];
        if (!document) continue;
        try {
          await keepers[kind].remove(document.name, document.revision);
        } catch (error) {
          setSaving({ state: 'failed', step: kind, error });
          return;
        }
        left = Object.fromEntries(Object.entries(left).filter(([other]) => other !== kind));
        onMade(left);
      }
      setSaving({ state: 'idle' });
    },
  };
}
