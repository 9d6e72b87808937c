import { plural } from '../lib/format';
import { metricLabel, type Metric } from '../lib/metric';
import {
  averageOf,
  hasLive,
  isRealTime,
  isVirtualKernel,
  summaryMetrics,
  testbedTitle,
  unitBeside,
  type Results,
} from './model';
import { Remarks } from './remarks';
import { SummaryBesidePaper } from './summary-beside-paper';
import { SummaryByTestbed } from './summary-by-testbed';
import { Table } from './table';

/** Which columns are shown, and which one sorts the rows. */
export interface SummaryView {
  readonly all: boolean;
  readonly sort: string | null;
}

interface Props {
  readonly results: Results;
  readonly view: SummaryView;
  readonly onView: (view: SummaryView) => void;
}

/** Medians, or means where the paper has them, of every variant, the paper's numbers beside ours, live ones beside simulated ones. */
export function SummaryTable({ results, view, onView }: Props) {
  const { published, testbeds } = results;
  const metrics = summaryMetrics(results, view.all);
  const live = hasLive(testbeds);
  const sort = view.sort !== null && metrics.includes(view.sort) ? view.sort : null;
  const sortOf = (name: string) => (name === sort ? ('ascending' as const) : undefined);
  const head = (name: string) => (
    <MetricHead
      metric={results.metricOf(name)}
      sorted={name === sort}
      onSort={() => onView({ ...view, sort: name === sort ? null : name })}
    />
  );
  const Layout = live ? SummaryByTestbed : SummaryBesidePaper;
  return (
    <>
      <Table
        className="summary"
        label="Summary by variant"
        caption={
          <>
            <b>{averageOf(results) === 'mean' ? 'Means' : 'Medians'}</b> over the runs, with the quartiles
            below
            {published ? (
              <>
                , beside what the paper printed{published.source !== '' && <> ({published.source})</>}.
                {live ? ' Rows in italics are the paper’s.' : ' Columns in italics are the paper’s.'}
              </>
            ) : (
              '.'
            )}{' '}
            Choose a column’s heading to sort by it.
          </>
        }
        columns={<Layout.Head results={results} metrics={metrics} head={head} sortOf={sortOf} />}
      >
        <Layout.Body results={results} metrics={metrics} sort={sort} />
      </Table>
      <Remarks results={results} />
      {live && <LiveNotes results={results} />}
      <p className="options">
        <label>
          <input
            type="checkbox"
            checked={view.all}
            onChange={(event) => onView({ ...view, all: event.target.checked })}
          />{' '}
          All metrics
        </label>
      </p>
    </>
  );
}

interface MetricHeadProps {
  readonly metric: Metric;
  readonly sorted: boolean;
  readonly onSort: () => void;
}

/** The head of a metric's column, which sorts by it. */
function MetricHead({ metric, sorted, onSort }: MetricHeadProps) {
  return (
    <button type="button" className="sort" title={metric.definition} onClick={onSort}>
      {metricLabel(metric)}
      {sorted && ' ↓'}
      <span className="unit">{unitBeside(metric) ?? '\u00a0'}</span>
    </button>
  );
}

/** What of live runs repeats, and what their difference from simulated ones says. */
function LiveNotes({ results }: { readonly results: Results }) {
  const { differences, testbeds } = results;
  const pairs = Math.max(0, ...differences.map((one) => one.pairs));
  const few = differences.some((one) => one.telling === 'too few');
  return (
    <div className="notes">
      {testbeds.some(isRealTime) && (
        <p>
          <b>Live</b> runs are of a real kernel in real time. The link’s randomness is seeded, the kernel’s is
          not: scheduling, timers and hashing vary, so the same experiment gives different numbers each time.
          The numbers exclude runs with an invalid certificate.
        </p>
      )}
      {testbeds.filter(isVirtualKernel).map((testbed) => (
        <p key={testbed}>
          <b>{testbedTitle(testbed)}</b>: runs are of a real kernel in virtual time. The link’s randomness is
          seeded and the clock repeats; what the kernel itself draws at random does not.
        </p>
      ))}
      {differences.length > 0 && (
        <p>
          <b>Difference</b> is live against simulated, in per cent of the simulated median, over the
          repetitions that count in both.{' '}
          {few
            ? `With ${plural(pairs, 'pair')} of runs it cannot be distinguished from chance: not even the whole range of fewer than six values is a 95 % interval. Take it as a hint.`
            : 'A star marks those whose 95 % interval over pairs of runs excludes zero; the others may be chance. Of many, one in twenty has a star by chance.'}
        </p>
      )}
    </div>
  );
}
