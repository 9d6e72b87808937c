import { useState } from 'react';

import { plural } from '../lib/format';
import type { Cell, Report } from '../series/report';
import {
  cellsByLink,
  formatValue,
  labelOf,
  linkTitle,
  publishedValue,
  spreadInWords,
  summaryMetrics,
  unitBeside,
  variantTitle,
} from './values';

/** Medians of every variant, the paper's numbers beside ours. */
export function SummaryTable({ report }: { readonly report: Report }) {
  const [spread, setSpread] = useState(false);
  const { published } = report.experiment;
  const metrics = summaryMetrics(report);
  const isPublished = (metric: string) =>
    published?.columns.some((column) => column.metric === metric) ?? false;
  const groups = cellsByLink(report);
  const columns = 1 + metrics.reduce((sum, metric) => sum + (isPublished(metric) ? 2 : 1), 0);
  return (
    <section id="summary">
      <h2>Summary</h2>
      <div className="wide">
        <table className="summary">
          <caption>
            <b>Medians</b> of {plural(report.experiment.repetitions, 'repetition')}
            {published ? (
              <>
                , beside what the paper printed{published.source !== '' && <> ({published.source})</>}.
                Columns in italics are the paper’s.
              </>
            ) : (
              '.'
            )}
          </caption>
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
              {groups.length > 1 && (
                <tr className="group">
                  <th colSpan={columns} scope="rowgroup">
                    {linkTitle(report, link)}
                  </th>
                </tr>
              )}
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
        </table>
      </div>
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

interface ValueProps {
  readonly report: Report;
  readonly cell: Cell;
  readonly metric: string;
}

function Value({ report, cell, metric, spread }: ValueProps & { readonly spread: boolean }) {
  const summary = cell.metrics.get(metric);
  const label = labelOf(report, metric);
  if (!summary) {
    return (
      <td className="none" title="not measured in any run of this cell">
        –
      </td>
    );
  }
  return (
    <td title={`${label.label}: ${spreadInWords(summary, label)}`}>
      {formatValue(summary.median, label)}
      {spread && (
        <span className="spread">
          {formatValue(summary.q1, label)}–{formatValue(summary.q3, label)}
        </span>
      )}
    </td>
  );
}

function PaperValue({ report, cell, metric }: ValueProps) {
  const { published } = report.experiment;
  const value = publishedValue(published, cell, metric);
  if (value === null) return <td className="paper none">–</td>;
  const ours = cell.metrics.get(metric)?.median;
  const change = ours === undefined || value === 0 ? '' : `; ours is ${signed((ours / value - 1) * 100)} %`;
  return (
    <td className="paper" title={`${published?.source ?? ''}: ${value}${change}`}>
      {value}
    </td>
  );
}

function signed(percent: number): string {
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)}`;
}
