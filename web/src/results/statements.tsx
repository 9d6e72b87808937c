import type { Schema } from '../contract/types';
import { plural } from '../lib/format';
import { figure, moreInPercent, type Grade, type Statement } from '../series/statements';
import { anchorOf } from './anchor';
import { Mark } from './mark';

interface Props {
  readonly statements: readonly Statement[];
  /** What each grade means. */
  readonly meaning?: (grade: Grade) => string | undefined;
}

/** What a paper states: the grade, the place, the published numbers beside ours, and the checks. */
export function Statements({ statements, meaning }: Props) {
  if (statements.length === 0) return null;
  return (
    <ul className="claims">
      {statements.map((one) => (
        <li key={one.id}>
          <Mark word={one.grade} title={meaning?.(one.grade)} />
          <div>
            <p className="claim">
              {one.text} <span className="criterion">{one.place}</span>
            </p>
            {one.why !== null && one.why !== '' && <p className="criterion">{one.why}</p>}
            {one.numbers.map((number) => (
              <p key={number.printed} className="criterion">
                {beside(number)}
              </p>
            ))}
            {one.by_seed && new Set(one.by_seed).size > 1 && (
              <p className="criterion">
                by master seed: {one.by_seed.map((grade) => grade ?? 'none').join(', ')}
              </p>
            )}
            <Checks checks={one.checks} />
          </div>
        </li>
      ))}
    </ul>
  );
}

interface ChecksProps {
  readonly checks: readonly Schema<'Check'>[];
  /** What stands before the list; how many there are unless told. */
  readonly title?: string;
}

/** The checks below a statement, each with the way to its experiment. */
function Checks({ checks, title }: ChecksProps) {
  if (checks.length === 0) return null;
  return (
    <details>
      <summary>{title ?? plural(checks.length, 'check')}</summary>
      <ul className="open-claims">
        {checks.map(({ experiment, id, text, grade, criterion, measured, note }) => (
          <li key={`${experiment} ${id}`}>
            <a href={`#${anchorOf(experiment)}`}>{experiment.replace(/^papers\//, '')}</a> {text}{' '}
            <span className="criterion">
              {grade ?? 'not run'}
              {measured !== null && measured !== '' && `: ${measured}`}
              {criterion !== '' && `; criterion: ${criterion}`}
              {note !== null && note !== '' && `. ${note}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The checks that the paper does not state, with why we make them. */
export function OwnAdditions({ additions }: { readonly additions: readonly Schema<'OwnAddition'>[] }) {
  return (
    <Checks
      checks={additions.map(({ check, why }) => ({ ...check, note: why }))}
      title={`Our own additions, which the paper does not state and the grades leave out (${additions.length})`}
    />
  );
}

/** As `published 31.7 % more goodput: 1.32; ours 1.21 (95 % interval 1.1 to 1.3), -8 %`. */
export function beside(number: Schema<'NumberBeside'>): string {
  const { printed, published, ours, interval, distance } = number;
  const theirs = `published ${printed}: ${figure(published)}`;
  if (ours === null) return `${theirs}; not run here`;
  const least = number.at_least ? 'at least ' : '';
  const sure =
    interval === null ? '' : ` (${least}95 % interval ${figure(interval[0])} to ${figure(interval[1])})`;
  const apart = distance === null ? '' : `, ${moreInPercent(distance)}`;
  return `${theirs}; ours ${figure(ours)}${sure}${apart}`;
}
