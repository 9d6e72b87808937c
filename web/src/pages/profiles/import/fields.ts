import type { Problem } from '../../../api/failure';

/** What is wrong, field by field; `others` have no field. */
export interface FieldProblems {
  readonly title: string | null;
  readonly rate: string | null;
  readonly delay: string | null;
  readonly others: readonly Problem[];
}

/** What each field of the form becomes in the link's text. Recordings are a table, so that their keys go on after `rate`. */
const KEYS = {
  title: /^title$/,
  rate: /^(both|down|up)\.rate$/,
  delay: /^(both|down|up)\.delay$/,
} as const;

/** What the queue's own fields tell. */
const QUEUE = /^(both|down|up)\.queue(\.|$)/;

/** Sorts what the engine found wrong with the text of a link to the fields that it was made of. */
export function fieldsOf(problems: readonly Problem[]): FieldProblems {
  const of = (field: keyof typeof KEYS) =>
    problems.find(({ key }) => KEYS[field].test(key ?? ''))?.message ?? null;
  return {
    title: of('title'),
    rate: of('rate'),
    delay: of('delay'),
    others: problems.filter(
      ({ key }) => !QUEUE.test(key ?? '') && !Object.values(KEYS).some((pattern) => pattern.test(key ?? '')),
    ),
  };
}
