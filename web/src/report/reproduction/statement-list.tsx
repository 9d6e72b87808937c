import { plural } from '../../lib/format';
import {
  figure,
  moreInPercent,
  type Check,
  type Grade,
  type NumberBeside,
  type Statement,
} from '../../series/statements';
import { anchorOf } from './anchor';

const SIGNS: Readonly<Record<Grade, string>> = {
  supported: '✓',
  'shown by one run': '✓',
  'within noise': '~',
  'in part': '◐',
  'not reproduced': '✗',
  'not checked': '–',
};

/** What a paper states: the grade, the place, the published numbers beside ours, and the checks. */
export function StatementList({ statements }: { readonly statements: readonly Statement[] }) {
  if (statements.length === 0) return null;
  return (
    <ul className="claims">
      {statements.map((one) => (
        <li key={one.id}>
          <span className="pill" data-status={one.grade}>
            <span aria-hidden="true">{SIGNS[one.grade]}</span> {one.grade}
          </span>
          <div>
            <p className="claim">
              {one.text} <span className="criterion">{one.place}</span>
            </p>
            {one.why !== '' && <p className="criterion">{one.why}</p>}
            {one.numbers.map((number) => (
              <p key={number.printed} className="criterion">
                {beside(number)}
              </p>
            ))}
            {new Set(one.bySeed).size > 1 && (
              <p className="criterion">
                by master seed: {one.bySeed.map((grade) => grade ?? 'none').join(', ')}
              </p>
            )}
            <Checks checks={one.checks} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The checks below a statement, each with the way to its experiment. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <details>
      <summary>{plural(checks.length, 'check')}</summary>
      <ul className="open-claims">
        {checks.map((check) => (
          <li key={`${check.experiment} ${check.id}`}>
            <a href={`#${anchorOf(check.experiment)}`}>{check.experiment.replace(/^papers\//, '')}</a>{' '}
            {check.text}{' '}
            <span className="criterion">
              {check.grade ?? 'not run'}: {check.measured}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** As `published 31.7 % more goodput: 1.32; ours 1.21 (95 % interval 1.1 to 1.3), -8 %`. */
export function beside({ printed, published, ours, interval, atLeast, distance }: NumberBeside): string {
  const theirs = `published ${printed}: ${figure(published)}`;
  if (ours === null) return `${theirs}; ours: none`;
  const least = atLeast ? 'at least ' : '';
  const sure = interval === null ? '' : ` (${least}95 % interval ${figure(interval[0])} to ${figure(interval[1])})`;
  const apart = distance === null ? '' : `, ${moreInPercent(distance)}`;
  return `${theirs}; ours ${figure(ours)}${sure}${apart}`;
}
