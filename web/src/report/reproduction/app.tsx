import type { PaperPart, Reproduction as Whole } from '../../series/report';
import { GRADES, type Grade, type Statement } from '../../series/statements';
import { citationOf, titleOf } from '../../lib/bibliography';
import { plural } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import type { RunStore } from '../runs';
import { Checks, Statements } from '../../results/statements';
import { Table } from '../../results/table';
import { ThemeButton } from '../theme-button';
import { useTheme } from '../use-theme';
import { Experiment } from './experiment';

interface Props {
  readonly reproduction: Whole;
  readonly store: RunStore;
}

/** The reproduction report: what the papers state, and each of their tables and figures beside what our runs gave. */
export function Reproduction({ reproduction, store }: Props) {
  const [theme, choice, setChoice] = useTheme();
  const { papers, grades } = reproduction;
  const seeds = reproduction.seeds.length;
  const stated = papers.flatMap((paper) => paper.statements);
  const reports = papers.flatMap((paper) => paper.experiments);
  const about = reports.at(0)?.experiment;
  return (
    <main className="reproduction">
      <ThemeButton choice={choice} onChange={setChoice} />
      <header className="head">
        <p className="kicker">
          <span>Windlull reproduction report</span>
        </p>
        <h1>
          {countOf(stated, 'supported')} of {plural(stated.length, 'statement')} supported
        </h1>
        <p className="lead">
          {restOf(stated)} {plural(papers.length, 'paper')}, {plural(reports.length, 'experiment')}: each
          table and figure run again, each statement graded by the checks below it. The grades depend on the
          seeds
          {seeds === 1 ? ' (one here)' : ` (${seeds} here)`}, on the number of repetitions, and on what was
          assumed where a paper is silent. The authors’ random draws are not published, so orders and factors
          are what is compared.
        </p>
      </header>
      <Tally reproduction={reproduction} />
      {papers.map((paper) => (
        <section key={paper.name} id={paper.name} className="paper-part">
          <h2>{titleOf(paper.name)}</h2>
          <p className="citation">
            {citationOf(paper.name)} <code>{paper.name}</code>
          </p>
          <Statements statements={paper.statements} meaning={(grade) => grades[grade]} />
          <Additions paper={paper} />
          {paper.experiments.map((report) => (
            <Experiment key={report.experiment.name} report={report} store={store} theme={theme} />
          ))}
        </section>
      ))}
      <footer>{about && `Made by ${madeBy(about)}. `}This page needs no network.</footer>
    </main>
  );
}

function Tally({ reproduction }: { readonly reproduction: Whole }) {
  const { papers, grades } = reproduction;
  return (
    <section id="tally">
      <h2>Statements by paper</h2>
      <Table
        className="tally"
        label="Statements by paper"
        columns={[{ name: 'Paper' }, ...GRADES.map((name) => ({ name, title: grades[name] ?? '' }))]}
      >
        <tbody>
          {papers.map(({ name, statements }) => (
            <tr key={name}>
              <th scope="row">
                <a href={`#${name}`}>{titleOf(name)}</a>
              </th>
              {GRADES.map((grade) => (
                <td key={grade}>{countOf(statements, grade)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <dl className="facts">
        {GRADES.map((grade) => (
          <Meaning key={grade} grade={grade} meaning={grades[grade] ?? ''} />
        ))}
      </dl>
    </section>
  );
}

function Meaning({ grade, meaning }: { readonly grade: Grade; readonly meaning: string }) {
  return (
    <>
      <dt>{grade}</dt>
      <dd>{meaning}</dd>
    </>
  );
}

function Additions({ paper }: { readonly paper: PaperPart }) {
  if (paper.own_additions.length === 0) return null;
  return (
    <>
      <Checks
        checks={paper.own_additions.map(({ check, why }) => ({ ...check, note: why }))}
        title={`Our own additions, which the paper does not state and the grades leave out (${paper.own_additions.length})`}
      />
    </>
  );
}

/** The grades below the first, as `3 shown by one run, 2 within noise.`; empty if there are none. */
function restOf(statements: readonly Statement[]): string {
  const rest = GRADES.slice(1).filter((grade) => countOf(statements, grade) > 0);
  return rest.length === 0
    ? ''
    : `The others: ${rest.map((grade) => `${countOf(statements, grade)} ${grade}`).join(', ')}.`;
}

function countOf(statements: readonly Statement[], grade: Grade): number {
  return statements.filter((one) => one.grade === grade).length;
}
