import type { Report, Reproduction as Whole } from '../../series/report';
import { type Grade, GRADES, type Statement } from '../../series/statements';
import { citationOf, titleOf } from '../../lib/bibliography';
import { plural } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import { Facts } from '../../results/facts';
import { OwnAdditions, Statements } from '../../results/statements';
import { Table } from '../../results/table';
import type { Theme } from '../../diagram/options';
import { anchorOf } from '../../results/anchor';
import { Claims } from '../../results/claims';
import type { RunStore } from '../runs';
import { ThemeButton } from '../theme-button';
import { useTheme } from '../use-theme';
import { FigurePart } from './figure';
import { Published } from './published';

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
          <OwnAdditions additions={paper.own_additions} />
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
      <Facts facts={GRADES.map((grade) => [grade, grades[grade]])} />
    </section>
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

interface ExperimentProps {
  readonly report: Report;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** One table or figure of a paper: the numbers, the figure, the claims, and what was assumed. */
function Experiment({ report, store, theme }: ExperimentProps) {
  const { experiment } = report;
  return (
    <article id={anchorOf(experiment.name)} className="experiment">
      <h3>{experiment.title}</h3>
      <p className="about">
        {experiment.source} · {plural(experiment.repetitions, 'repetition')} of{' '}
        {plural(experiment.variants.length, 'variant')}
        {experiment.links.length > 1 && ` on ${plural(experiment.links.length, 'link')}`} · seed{' '}
        {experiment.seed} · <a href={`${report.directory}/report.html`}>its own report</a>
      </p>
      {experiment.description !== '' && <p>{experiment.description}</p>}
      <Published report={report} />
      {experiment.figures?.map((figure, i) => (
        <FigurePart key={i} report={report} figure={figure} store={store} theme={theme} />
      ))}
      <Claims claims={report.claims} testbeds={report.testbeds} />
      {experiment.assumptions.length > 0 && (
        <details className="assumed">
          <summary>
            {plural(experiment.assumptions.length, 'assumption')}: what the paper does not give, or is done
            otherwise here
          </summary>
          <ol className="assumptions">
            {experiment.assumptions.map((line, i) => (
              <li key={i}>{line}</li>
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}
