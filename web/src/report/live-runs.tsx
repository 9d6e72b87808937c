import { plural } from '../lib/format';
import { quantile } from '../lib/spread';
import type { Certificate, Report, RunEntry } from '../series/report';
import { Mark } from '../results/mark';
import { formatMicros } from '../series/certificate-words';
import { cellKey, cellsByLink, SIMULATED, type Cell } from '../results/model';
import { GroupRow, Table, type Column } from '../results/table';
import { linkTitle, resultsOf, variantTitle } from './values';

const COLUMNS: readonly Column[] = [
  { name: 'Variant' },
  { name: 'Valid' },
  { name: 'Release p50', title: 'actual minus planned release of packets: median of the runs’ medians' },
  { name: 'Release p99', title: 'the worst run’s 99th percentile' },
  { name: 'Wire p99', title: 'from the captures of both hosts: the worst run’s 99th percentile' },
  { name: 'Script', title: 'how late the script was: the worst of all runs' },
  { name: 'Stalls', title: 'stalls of the machine itself, all runs; the longest' },
  { name: 'Drops', title: 'packets that captures, plane or hosts lost, all runs: not the link’s own' },
  { name: 'Offloads', title: 'super-packets and bad checksums, all runs' },
  { name: 'Clock drift', title: 'the greatest of all runs' },
];

interface Props {
  readonly report: Report;
  readonly onSelect: (key: string) => void;
}

/** How true to their plan the live runs were, and those that were not. */
export function LiveRuns({ report, onSelect }: Props) {
  const live = report.runs.filter((run) => run.certificate !== null);
  const { failed } = report;
  if (live.length === 0 && failed.length === 0) return null;
  const invalid = live.filter((run) => run.certificate?.valid === false);
  const setup = report.experiment.live;
  const groups = cellsByLink(resultsOf(report));
  return (
    <section id="fidelity">
      <h2>Fidelity of the live runs</h2>
      <Table
        className="fidelity"
        label="Certificates by variant"
        caption={
          <>
            <b>Certificates.</b> Each live run measures its own accuracy. {live.length - invalid.length} of{' '}
            {plural(live.length, 'run')} kept to the plan
            {setup && (
              <>
                {' '}
                (link plane: {setup.plane}, {setup.pace})
              </>
            )}
            ; a run that did not is repeated, and if it stays invalid it is shown, but results exclude it.
            Errors are times; what was not measured is a dash.
          </>
        }
        columns={COLUMNS}
      >
        {groups.map(({ link, cells }) => (
          <tbody key={link}>
            {groups.length > 1 && <GroupRow columns={COLUMNS.length}>{linkTitle(report, link)}</GroupRow>}
            {cells
              .filter((cell) => cell.testbed !== SIMULATED)
              .map((cell) => (
                <Row key={cellKey(cell)} report={report} cell={cell} runs={live.filter(within(cell))} />
              ))}
          </tbody>
        ))}
      </Table>
      {(invalid.length > 0 || failed.length > 0) && (
        <ul className="left-out" aria-label="Runs excluded from results">
          {invalid.map((run) => (
            <li key={run.key}>
              <Mark word="not valid" />{' '}
              <button type="button" className="link" onClick={() => onSelect(run.key)}>
                {run.key}
              </button>{' '}
              {run.certificate?.reasons.join('; ')}
            </li>
          ))}
          {failed.map((run) => (
            <li key={run.key}>
              <Mark word="failed" /> <code>{run.key}</code> {run.reason} (after{' '}
              {plural(run.attempts, 'attempt')})
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  readonly report: Report;
  readonly cell: Cell;
  readonly runs: readonly RunEntry[];
}

function Row({ report, cell, runs }: RowProps) {
  const lost = (cell.invalid ?? 0) + (cell.unfinished ?? 0);
  const certificates = runs.flatMap((run) => run.certificate ?? []);
  const worst = (of: (one: Certificate) => number | null | undefined) =>
    micros(known(certificates, of), (values) => Math.max(...values));
  const total = (of: (one: Certificate) => number | null | undefined) =>
    known(certificates, of).reduce((sum, value) => sum + value, 0);
  const stalls = total((one) => one.stalls.count);
  const longest = worst((one) => one.stalls.longest_us);
  return (
    <tr>
      <th scope="row">{variantTitle(report, cell.variant)}</th>
      <td className={lost > 0 ? 'invalid' : undefined}>
        {cell.runs} of {cell.runs + lost}
      </td>
      <td>
        {micros(
          known(certificates, (one) => one.release_error_us?.p50),
          (values) => quantile(values, 0.5),
        )}
      </td>
      <td>{worst((one) => one.release_error_us?.p99)}</td>
      <td>{worst((one) => one.wire_error_us?.p99)}</td>
      <td>{worst((one) => one.script_error_us?.max)}</td>
      <td>{stalls === 0 ? '0' : `${stalls}, ${longest}`}</td>
      <td>
        {total((one) => one.capture_drops) + total((one) => one.plane_drops) + total((one) => one.host_drops)}
      </td>
      <td>{total((one) => one.super_packets) + total((one) => one.bad_checksums)}</td>
      <td>{worst((one) => Math.abs(one.clock_drift_us))}</td>
    </tr>
  );
}

function within(cell: Cell): (run: RunEntry) => boolean {
  return (run) => run.variant === cell.variant && run.link === cell.link && run.testbed === cell.testbed;
}

function known(
  certificates: readonly Certificate[],
  of: (one: Certificate) => number | null | undefined,
): number[] {
  return certificates.flatMap((one) => of(one) ?? []);
}

function micros(values: readonly number[], reduce: (values: readonly number[]) => number): string {
  return values.length === 0 ? '–' : formatMicros(reduce(values));
}
