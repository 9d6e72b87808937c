import type { ClaimStatus, Report, Reproduction as Whole } from '../../series/report';
import { citationOf, titleOf } from '../../lib/bibliography';
import { plural } from '../../lib/format';
import type { RunStore } from '../runs';
import { Table } from '../table';
import { ThemeButton } from '../theme-button';
import { useTheme } from '../use-theme';
import { anchorOf, Experiment } from './experiment';

const STATUSES: readonly ClaimStatus[] = ['reproduced', 'not reproduced', 'cannot be decided'];

interface Props {
  readonly reproduction: Whole;
  readonly store: RunStore;
}

/** The reproduction report: every table, figure and claim of the papers beside what our runs gave. */
export function Reproduction({ reproduction, store }: Props) {
  const [theme, choice, setChoice] = useTheme();
  const { papers } = reproduction;
  const reports = papers.flatMap((paper) => paper.reports);
  const about = reports.at(0)?.experiment;
  return (
    <main className="reproduction">
      <ThemeButton choice={choice} onChange={setChoice} />
      <header className="head">
        <p className="kicker">
          <span>Windlull reproduction report</span>
        </p>
        <h1>
          {countOf(reports, 'reproduced')} of {plural(claimsOf(reports).length, 'claim')} reproduced
        </h1>
        <p className="lead">
          {plural(papers.length, 'paper')}, {plural(reports.length, 'experiment')}: each table and figure run
          again, each claim judged by its criterion. The authors’ random draws are not published, so orders
          and factors are what is compared.
        </p>
      </header>
      <Tally reproduction={reproduction} />
      <Open reports={reports} />
      {papers.map((paper) => (
        <section key={paper.name} id={paper.name} className="paper-part">
          <h2>{titleOf(paper.name)}</h2>
          <p className="citation">
            {citationOf(paper.name)} <code>{paper.name}</code>
          </p>
          {paper.reports.map((report) => (
            <Experiment key={report.experiment.name} report={report} store={store} theme={theme} />
          ))}
        </section>
      ))}
      <footer>
        {about && `Made by Windlull ${about.version}, commit ${about.commit}. `}This page needs no network.
      </footer>
    </main>
  );
}

function Tally({ reproduction }: { readonly reproduction: Whole }) {
  return (
    <section id="tally">
      <h2>Claims by paper</h2>
      <Table
        className="tally"
        columns={[{ name: 'Paper' }, { name: 'Experiments' }, ...STATUSES.map((name) => ({ name }))]}
      >
        <tbody>
          {reproduction.papers.map(({ name, reports }) => (
            <tr key={name}>
              <th scope="row">
                <a href={`#${name}`}>{titleOf(name)}</a>
              </th>
              <td>{reports.length}</td>
              {STATUSES.map((status) => (
                <td key={status}>{countOf(reports, status)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

/** What does not hold, with a way to it: the first thing that a sceptical reader asks for. */
function Open({ reports }: { readonly reports: readonly Report[] }) {
  const open = reports.flatMap((report) =>
    report.claims
      .filter((claim) => claim.status !== 'reproduced')
      .map((claim) => ({ claim, name: report.experiment.name })),
  );
  if (open.length === 0) return null;
  return (
    <section id="open">
      <h2>What is not reproduced</h2>
      <ul className="open-claims">
        {open.map(({ claim, name }) => (
          <li key={`${name} ${claim.id}`}>
            <a href={`#${anchorOf(name)}`}>{name.replace(/^papers\//, '')}</a> {claim.text}{' '}
            <span className="criterion">
              {claim.status}: {claim.measured}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function claimsOf(reports: readonly Report[]) {
  return reports.flatMap((report) => report.claims);
}

function countOf(reports: readonly Report[], status: ClaimStatus): number {
  return claimsOf(reports).filter((claim) => claim.status === status).length;
}
