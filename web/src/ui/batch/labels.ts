import { groupThousands } from '../../lib/format';

/** As the API has it (`Tag` in controller/windlull/api/batches.py). */
const TAG = /^[A-Za-z0-9]([A-Za-z0-9 ._+:/-]*[A-Za-z0-9._+-])?$/;
const LONGEST_TAG = 40;
export const MOST_TAGS = 20;
export const LONGEST_NOTE = 10_000;

/** What is wrong with tags, and what would be right; null if nothing is. */
export function tagsProblem(tags: readonly string[]): string | null {
  if (tags.length > MOST_TAGS) return `At most ${MOST_TAGS} tags`;
  const long = tags.find((tag) => tag.length > LONGEST_TAG);
  if (long !== undefined) return `“${long.slice(0, 12)}…” has more than ${LONGEST_TAG} characters`;
  const wrong = tags.find((tag) => !TAG.test(tag));
  return wrong === undefined
    ? null
    : `“${wrong}”: a tag has letters, digits, spaces and . _ + : / -, and begins with a letter or a digit`;
}

/** What is wrong with a note; null if nothing is. */
export const noteProblem = (note: string) =>
  note.length > LONGEST_NOTE ? `At most ${groupThousands(LONGEST_NOTE)} characters` : null;
