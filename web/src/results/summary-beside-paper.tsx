import { averageOf, cellsByLink, publishedValue, signed, sortedBy, titleIn } from './model';
import type { HeadProps, LayoutProps } from './summary-layout';
import { Runs, Value, type ValueProps } from './summary-value';
import { GroupRow } from './table';

/** A row for each variant; the paper's column beside ours. */
export const SummaryBesidePaper = { Head, Body };

function printedIn({ results: { published } }: Pick<LayoutProps, 'results'>): (metric: string) => boolean {
  return (metric) => published?.columns.some((column) => column.metric === metric) ?? false;
}

function Head({ results, metrics, sortOf, head }: HeadProps) {
  const isPrinted = printedIn({ results });
  const heads = metrics.map((metric) => (
    <th
      key={metric}
      colSpan={isPrinted(metric) ? 2 : 1}
      scope="colgroup"
      className={isPrinted(metric) ? 'metric both' : 'metric'}
      aria-sort={sortOf(metric)}
    >
      {head(metric)}
    </th>
  ));
  const rows = metrics.some(isPrinted) ? 2 : 1;
  return (
    <>
      <tr>
        <th rowSpan={rows} scope="col">
          Variant
        </th>
        <th rowSpan={rows} scope="col">
          Runs
        </th>
        {heads}
      </tr>
      {rows === 2 && (
        <tr className="whose">
          {metrics.flatMap((metric) =>
            isPrinted(metric)
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
      )}
    </>
  );
}

function Body({ results, metrics, sort }: LayoutProps) {
  const isPrinted = printedIn({ results });
  const groups = cellsByLink(results);
  const columns = 2 + metrics.reduce((sum, metric) => sum + (isPrinted(metric) ? 2 : 1), 0);
  return groups.map(({ link, cells }) => (
    <tbody key={link}>
      {groups.length > 1 && <GroupRow columns={columns}>{titleIn(results.links, link)}</GroupRow>}
      {sortedBy(cells, sort).map((cell) => (
        <tr key={cell.variant}>
          <th scope="row">
            {titleIn(results.variants, cell.variant)}
            <code>{cell.variant}</code>
          </th>
          <Runs results={results} cell={cell} />
          {metrics.flatMap((metric) => [
            <Value key={metric} results={results} cell={cell} metric={metric} />,
            ...(isPrinted(metric)
              ? [<PaperValue key={`${metric} paper`} results={results} cell={cell} metric={metric} />]
              : []),
          ])}
        </tr>
      ))}
    </tbody>
  ));
}

function PaperValue({ results, cell, metric }: ValueProps) {
  const { published } = results;
  const value = publishedValue(published, cell, metric);
  if (value === null) return <td className="paper none">–</td>;
  const ours = cell.metrics[metric]?.[averageOf(results)];
  const change = ours === undefined || value === 0 ? '' : `; ours is ${signed((ours / value - 1) * 100)} %`;
  return (
    <td className="paper" title={`${published?.source ?? ''}: ${value}${change}`}>
      {value}
    </td>
  );
}
