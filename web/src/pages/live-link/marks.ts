import type { History } from './history';
import { changeInWords } from './words';

/** Something that was done to the link, and when, ms since 1970. */
export interface Mark {
  readonly at: number;
  readonly text: string;
}

/** Marks told at most. */
const MOST = 8;

/** What was done to the link in the last minutes, newest first. */
export function marksInWords({ changes, links }: History): readonly Mark[] {
  const made = changes.map((change): Mark => ({ at: change.from_ms, text: withLength(change) }));
  const began = links.map(({ at_ms, link, run }): Mark => ({
    at: at_ms,
    text: run === null ? `${link} in force` : `lent to run ${run}`,
  }));
  return [...made, ...began].sort((a, b) => b.at - a.at).slice(0, MOST);
}

function withLength(change: History['changes'][number]): string {
  const words = changeInWords(change);
  if (change.to_ms === null) return `${words}, until it is taken back`;
  return `${words}, for ${Number(((change.to_ms - change.from_ms) / 1000).toFixed(1))} s`;
}
