import { Fragment } from 'react';

import { formatMetric, metricLabel } from '../lib/metric';
import {
  cellKey,
  cellsByLink,
  differenceOf,
  publishedValue,
  signed,
  SIMULATED,
  sortedBy,
  tellingInWords,
  titleIn,
  type Cell,
} from './model';
import type { HeadProps, LayoutProps } from './summary-layout';
import { Runs, Value, type ValueProps } from './summary-value';
import { GroupRow } from './table';
import { TestbedTag } from './testbed-tag';

/** A number for each variant: what the paper printed, what was simulated and what was live, below each other. */
export const SummaryByTestbed = { Head, Body };

function Head({ metrics, sortOf, head }: HeadProps) {
  return (
    <tr>
      <th scope="col">Variant</th>
      <th scope="col" className="words">
        Of
      </th>
      <th scope="col">Runs</th>
      {metrics.map((metric) => (
        <th key={metric} scope="col" className="metric" aria-sort={sortOf(metric)}>
          {head(metric)}
        </th>
      ))}
    </tr>
  );
}

function Body({ results, metrics, sort }: LayoutProps) {
  const groups = cellsByLink(results);
  return groups.map(({ link, cells }) => (
    <Fragment key={link}>
      {groups.length > 1 && (
        <tbody>
          <GroupRow columns={3 + metrics.length}>{titleIn(results.links, link)}</GroupRow>
        </tbody>
      )}
      {[...new Set(sortedBy(cells, sort).map((cell) => cell.variant))].map((variant) => (
        <Variant
          key={variant}
          results={results}
          variant={variant}
          cells={cells.filter((cell) => cell.variant === variant)}
          metrics={metrics}
        />
      ))}
    </Fragment>
  ));
}

interface VariantProps extends Omit<LayoutProps, 'sort'> {
  readonly variant: string;
  /** The cells of the variant on one link. */
  readonly cells: readonly Cell[];
}

function Variant({ results, variant, cells, metrics }: VariantProps) {
  const [first] = cells;
  const papers = metrics.map((metric) => publishedValue(results.published, first, metric));
  const printed = papers.some((paper) => paper !== null);
  const compared = cells.filter(
    (cell) => cell.testbed !== SIMULATED && metrics.some((metric) => differenceOf(results, cell, metric)),
  );
  const name = (
    <th scope="rowgroup" rowSpan={(printed ? 1 : 0) + cells.length + compared.length}>
      {titleIn(results.variants, variant)}
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
              {paper === null ? '–' : formatMetric(paper, results.metricOf(metrics[i]))}
            </td>
          ))}
        </tr>
      )}
      {cells.map((cell, i) => (
        <tr key={cellKey(cell)}>
          {!printed && i === 0 && name}
          <th scope="row" className="words">
            <TestbedTag testbed={cell.testbed} among={results.testbeds} />
          </th>
          <Runs results={results} cell={cell} />
          {metrics.map((metric) => (
            <Value key={metric} results={results} cell={cell} metric={metric} />
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
            <DifferenceOf key={metric} results={results} cell={cell} metric={metric} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function DifferenceOf({ results, cell, metric: name }: ValueProps) {
  const difference = differenceOf(results, cell, name);
  if (!difference) return <td className="none">–</td>;
  const { percent, absolute, telling } = difference;
  const metric = results.metricOf(name);
  const text =
    percent !== null
      ? `${signed(percent)} %`
      : absolute === 0
        ? 'none'
        : `${absolute < 0 ? '−' : '+'}${formatMetric(Math.abs(absolute), metric)}`;
  return (
    <td
      data-telling={telling}
      title={`${metricLabel(metric)}, live against simulated: ${tellingInWords(difference)}`}
    >
      {text}
      {telling === 'differs' && <span aria-label="more than chance">{' *'}</span>}
    </td>
  );
}
