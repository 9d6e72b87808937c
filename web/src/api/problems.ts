/** Where problems stand: by the keys that they name. */

import type { Problem } from './failure';

/** The problems of keys that begin so, as `tcp` or `claim[1]`; an empty list of keys gives those of no field. */
export function problemsAt(problems: readonly Problem[], ...keys: readonly string[]): readonly Problem[] {
  return problems.filter(({ key }) => keys.some((start) => isAt(key, start)));
}

export function isAt(key: string | null | undefined, start: string): boolean {
  return key === start || (key?.startsWith(start) === true && /^[.[]/.test(key.slice(start.length)));
}

/** The first line that says what is wrong at some keys. */
export function messageAt(problems: readonly Problem[], ...keys: readonly string[]): string | undefined {
  return problemsAt(problems, ...keys)
    .map(({ message }) => message)
    .at(0);
}

/** What is wrong within a table, by the rest of each key, as `limit` or `steps[0].at`; of all of the table it is ''. */
export function wrongWithin(
  problems: readonly Problem[],
  ...starts: readonly string[]
): Readonly<Record<string, string>> {
  const wrong: Record<string, string> = {};
  for (const { key, message } of problems) {
    const start = starts.find((one) => isAt(key, one));
    if (start === undefined) continue;
    const rest = (key ?? '').slice(start.length).replace(/^\./, '');
    if (!(rest in wrong)) wrong[rest] = message;
  }
  return wrong;
}
