import { Fragment } from 'react';

import { SIMULATED, type Cell, type Report } from '../series/report';
import { Value, type ValueProps } from './summary-value';
import { GroupRow } from './table';
import { TestbedTag } from './testbed-tag';
import {
  averageOf,
  cellKey,
  cellsByLink,
  differenceOf,
  formatValue,
  labelOf,
  linkTitle,
  publishedValue,
  signed,
  tellingInWords,
  unitBeside,
  variantTitle,
} from './values';

interface Props {
  readonly report: Report;
  readonly metrics: readonly string[];
  readonly spread: boolean;
}

/** A number for each variant: what the paper printed, what was simulated and what was live, below each other. */
export function SummaryByTestbed({ report, metrics, spread }: Props) {
  const groups = cellsByLink(report);
  const columns = 3 + metrics.length;
  return (
    <>
      <thead>
        <tr>
          <th scope="col">Variant</th>
          <th scope="col" className="words">
            Of
          </th>
          <th scope="col">Runs</th>
          {metrics.map((metric) => {
            const label = labelOf(report, metric);
            return (
              <th key={metric} scope="col" className="metric">
                {label.label}
                <span className="unit">{unitBeside(label) ?? '\u00a0'}</span>
              </th>
            );
          })}
        </tr>
      </thead>
      {groups.map(({ link, cells }) => (
        <Fragment key={link}>
          {groups.length > 1 && (
            <tbody>
              <GroupRow columns={columns}>{linkTitle(report, link)}</GroupRow>
            </tbody>
          )}
          {[...new Set(cells.map((cell) => cell.variant))].map((variant) => (
            <Variant
              key={variant}
              report={report}
              variant={variant}
              cells={cells.filter((cell) => cell.variant === variant)}
              metrics={metrics}
              spread={spread}
            />
          ))}
        </Fragment>
      ))}
    </>
  );
}

interface VariantProps extends Props {
  readonly variant: string;
  /** The cells of the variant on one link. */
  readonly cells: readonly Cell[];
}

function Variant({ report, variant, cells, metrics, spread }: VariantProps) {
  const { published } = report.experiment;
  const [first] = cells;
  const papers = metrics.map((metric) => publishedValue(published, first, metric));
  const printed = papers.some((paper) => paper !== null);
  const compared = cells.filter(
    (cell) => cell.testbed !== SIMULATED && metrics.some((metric) => differenceOf(report, cell, metric)),
  );
  const name = (
    <th scope="rowgroup" rowSpan={(printed ? 1 : 0) + cells.length + compared.length}>
      {variantTitle(report, variant)}
      <code>{variant}</code>
    </th>
  );
  return (
    <tbody className="variant">
      {printed && (
        <tr>
          {name}
          <th scope="row" className="words paper">
            paper
          </th>
          <td />
          {papers.map((paper, i) => (
            <td key={metrics[i]} className={paper === null ? 'paper none' : 'paper'}>
              {paper === null ? '–' : formatValue(paper, labelOf(report, metrics[i]))}
            </td>
          ))}
        </tr>
      )}
      {cells.map((cell, i) => (
        <tr key={cellKey(cell)}>
          {!printed && i === 0 && name}
          <th scope="row" className="words">
            <TestbedTag report={report} testbed={cell.testbed} />
          </th>
          <td title={runsInWords(report, cell)}>
            {cell.runs}
            {cell.invalid > 0 && <span className="invalid"> +{cell.invalid} not valid</span>}
            {cell.unfinished > 0 && <span className="invalid"> +{cell.unfinished} not ended in order</span>}
          </td>
          {metrics.map((metric) => (
            <Value key={metric} report={report} cell={cell} metric={metric} spread={spread} />
          ))}
        </tr>
      ))}
      {compared.map((cell) => (
        <tr key={`${cellKey(cell)} against simulated`} className="difference">
          <th scope="row" className="words">
            difference
          </th>
          <td />
          {metrics.map((metric) => (
            <Difference key={metric} report={report} cell={cell} metric={metric} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Difference({ report, cell, metric }: ValueProps) {
  const difference = differenceOf(report, cell, metric);
  if (!difference) return <td className="none">–</td>;
  const { percent, absolute, telling } = difference;
  const label = labelOf(report, metric);
  const sign = absolute < 0 ? '−' : '+';
  const text =
    percent !== null
      ? `${signed(percent)} %`
      : absolute === 0
        ? 'none'
        : `${sign}${formatValue(Math.abs(absolute), label)}`;
  return (
    <td
      data-telling={telling}
      title={`${label.label}, live against simulated: ${tellingInWords(difference)}`}
    >
      {text}
      {telling === 'differs' && <span aria-label="more than chance">{' *'}</span>}
    </td>
  );
}

function runsInWords(report: Report, cell: Cell): string {
  const left = [
    [cell.invalid, 'are not valid'] as const,
    [cell.unfinished, 'did not end in order'] as const,
  ].map(([count, why]) => (count === 0 ? '' : `; ${count} more ${why} and count nowhere`));
  return `${averageOf(report)}s of ${cell.runs} runs${left.join('')}`;
}
