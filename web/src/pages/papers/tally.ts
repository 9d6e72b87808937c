import meanings from '../../../../docs/grades.json';
import type { Schema } from '../../api/client';
import { type Grade, GRADES } from '../../series/statements';

/** What each grade means, for those who point at it. The controller's words (docs/grades.json) are the only ones. */
export const MEANING: Readonly<Record<Grade, string>> = meanings;

/** What the grades depend on; it stands beside every count of them. */
export const DEPENDS =
  'Grades depend on the seed, on the number of repetitions, and on what was assumed where a paper is silent.';

/** What came of the statements of a paper. */
export interface Tally {
  /** How many experiments have results here. */
  readonly run: number;
  /** As `5 of 12 statements supported, 1 within noise`. */
  readonly words: string;
}

/** Counts a paper's statements by their grades. */
export function tally(paper: Pick<Schema<'PaperView'>, 'experiments' | 'counts'>): Tally {
  const { counts } = paper;
  const total = GRADES.reduce((sum, grade) => sum + (counts[grade] ?? 0), 0);
  const rest = GRADES.slice(1)
    .filter((grade) => (counts[grade] ?? 0) > 0)
    .map((grade) => `, ${counts[grade] ?? 0} ${grade}`);
  return {
    run: paper.experiments.filter(({ batch }) => batch !== null).length,
    words: `${counts['supported'] ?? 0} of ${total} statements supported${rest.join('')}`,
  };
}
