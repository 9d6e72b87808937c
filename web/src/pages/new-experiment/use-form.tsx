import { createContext, use, type ChangeEvent } from 'react';
import type { TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import type { Verdict } from '../../toml/use-validation';
import { messageAt, type Existing, type FieldErrors, type Outcome } from './documents';
import { textOf, valueAt, withValue, type Draft } from './draft';

/** What is edited, what it comes to, and what is wrong with it. */
export interface Form {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  /** The experiment that is changed, if it is not a new one. */
  readonly edited: string | null;
  readonly existing: Existing;
  readonly outcome: Outcome;
  readonly errors: FieldErrors;
  /** What the engine says of the experiment. */
  readonly problems: readonly Problem[];
  /** What it says of the drawn link. */
  readonly linkProblems: readonly Problem[];
  /** What it says of the workload that is being made. */
  readonly workloadVerdict: Verdict;
}

export const FormContext = createContext<Form | null>(null);

/** The form that a part belongs to, and fields for what stands in the experiment's text alone, by its path of keys. */
export function useForm() {
  const form = use(FormContext);
  if (form === null) throw new Error('outside of the form');
  const { draft, change, problems } = form;
  const at = (path: string) => valueAt(draft.rest, path);
  const set = (path: string, value: TomlValue | null | undefined) =>
    change({ rest: withValue(draft.rest, path, value === '' ? undefined : (value ?? undefined)) });
  return {
    ...form,
    at,
    set,
    message: (...keys: readonly string[]) => messageAt(problems, ...keys),
    typed: (path: string) => ({
      value: textOf(at(path)),
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set(path, currentTarget.value),
    }),
    chosen: (path: string) => ({
      value: textOf(at(path)),
      onChange: (value: string | null) => set(path, value),
    }),
  };
}
