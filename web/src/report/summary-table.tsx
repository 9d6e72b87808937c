import { useState } from 'react';

import { plural } from '../lib/format';
import type { Report } from '../series/report';
import { SummaryByTestbed } from './summary-by-testbed';
import { Value, type ValueProps } from './summary-value';
import { GroupRow } from './table';
import {
  averageOf,
  cellsByLink,
  labelOf,
  linkTitle,
  hasLive,
  hasRealTime,
  publishedValue,
  signed,
  summaryMetrics,
  testbedTitle,
  unitBeside,
  VIRTUAL,
  variantTitle,
} from './values';

/** Medians, or means where the paper has them, of every variant, the paper's numbers beside ours, live ones beside simulated ones. */
export function SummaryTable({ report }: { readonly report: Report }) {
  const [spread, setSpread] = useState(false);
  const { published } = report.experiment;
  const metrics = summaryMetrics(report);
  const live = hasLive(report);
  const pairs = Math.max(0, ...report.live.differences.map((one) => one.pairs));
  const few = report.live.differences.some((one) => one.telling === 'too few');
  return (
    <section id="summary">
      <h2>Summary</h2>
      <div className="wide">
        <table className="summary">
          <caption>
            <b>{averageOf(report) === 'mean' ? 'Means' : 'Medians'}</b> of{' '}
            {plural(report.experiment.repetitions, 'repetition')}
            {published ? (
              <>
                , beside what the paper printed{published.source !== '' && <> ({published.source})</>}.
                {live ? ' Rows in italics are the paper’s.' : ' Columns in italics are the paper’s.'}
              </>
            ) : (
              '.'
            )}
          </caption>
          {live ? (
            <SummaryByTestbed report={report} metrics={metrics} spread={spread} />
          ) : (
            <Simulated report={report} metrics={metrics} spread={spread} />
          )}
        </table>
      </div>
      {live && (
        <div className="notes">
          {hasRealTime(report) && (
            <p>
              <b>Live</b> runs are of a real kernel in real time. The link’s randomness is seeded, nothing of
              the kernel’s is: scheduling, timers and hashing are as they happen to be, so that the same
              experiment gives other numbers each time. Runs that are not valid by their certificate are in no
              number here.
            </p>
          )}
          {report.testbeds.includes(VIRTUAL) && (
            <p>
              <b>{testbedTitle(VIRTUAL)}</b>: runs are of a real kernel in virtual time. The link’s randomness
              is seeded and the clock repeats; what the kernel itself draws at random does not.
            </p>
          )}
          {report.live.differences.length > 0 && (
            <p>
              <b>Difference</b> is live against simulated, in per cent of the simulated median, over the
              repetitions that count in both.{' '}
              {few
                ? `With ${plural(pairs, 'pair')} of runs it cannot be told from chance: not even the whole range of fewer than six values is a 95 % interval. Take it as a hint.`
                : 'A star marks those whose 95 % interval over pairs of runs leaves zero out; the others are not told apart. Where many are looked at, one in twenty has a star by chance.'}
            </p>
          )}
        </div>
      )}
      <p className="options">
        <label>
          <input
            type="checkbox"
            checked={spread}
            onChange={(event) => {
              setSpread(event.target.checked);
            }}
          />{' '}
          show quartiles
        </label>
      </p>
    </section>
  );
}

interface SimulatedProps {
  readonly report: Report;
  readonly metrics: readonly string[];
  readonly spread: boolean;
}

/** A row for each variant; the paper's column beside ours. */
function Simulated({ report, metrics, spread }: SimulatedProps) {
  const { published } = report.experiment;
  const isPublished = (metric: string) =>
    published?.columns.some((column) => column.metric === metric) ?? false;
  const groups = cellsByLink(report);
  const columns = 1 + metrics.reduce((sum, metric) => sum + (isPublished(metric) ? 2 : 1), 0);
  return (
    <>
      <thead>
        <tr>
          <th rowSpan={2} scope="col">
            Variant
          </th>
          {metrics.map((metric) => {
            const label = labelOf(report, metric);
            return (
              <th
                key={metric}
                colSpan={isPublished(metric) ? 2 : 1}
                scope="colgroup"
                className={isPublished(metric) ? 'metric both' : 'metric'}
              >
                {label.label}
                <span className="unit">{unitBeside(label) ?? '\u00a0'}</span>
              </th>
            );
          })}
        </tr>
        <tr className="whose">
          {metrics.flatMap((metric) =>
            isPublished(metric)
              ? [
                  <th key={metric} scope="col">
                    ours
                  </th>,
                  <th key={`${metric} paper`} scope="col" className="paper">
                    paper
                  </th>,
                ]
              : [<th key={metric} aria-label="ours" />],
          )}
        </tr>
      </thead>
      {groups.map(({ link, cells }) => (
        <tbody key={link}>
          {groups.length > 1 && <GroupRow columns={columns}>{linkTitle(report, link)}</GroupRow>}
          {cells.map((cell) => (
            <tr key={cell.variant}>
              <th scope="row">
                {variantTitle(report, cell.variant)}
                <code>{cell.variant}</code>
              </th>
              {metrics.flatMap((metric) => [
                <Value key={metric} report={report} cell={cell} metric={metric} spread={spread} />,
                ...(isPublished(metric)
                  ? [<PaperValue key={`${metric} paper`} report={report} cell={cell} metric={metric} />]
                  : []),
              ])}
            </tr>
          ))}
        </tbody>
      ))}
    </>
  );
}

function PaperValue({ report, cell, metric }: ValueProps) {
  const { published } = report.experiment;
  const value = publishedValue(published, cell, metric);
  if (value === null) return <td className="paper none">–</td>;
  const ours = cell.metrics.get(metric)?.[averageOf(report)];
  const change = ours === undefined || value === 0 ? '' : `; ours is ${signed((ours / value - 1) * 100)} %`;
  return (
    <td className="paper" title={`${published?.source ?? ''}: ${value}${change}`}>
      {value}
    </td>
  );
}
