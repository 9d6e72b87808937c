import { boxDomain } from '../../figures/box-axis';
import { PAGE_COLORS } from '../../figures/box-colors';
import { BoxPlot } from '../../figures/box-plot';
import { formatMetric, metricTitle } from '../../lib/metric';
import { quantile, type Spread } from '../../lib/spread';
import { rowsOf } from '../../results/distributions';
import { averageOf, cellsByLink, publishedValue } from '../../results/model';
import type { Figure, Report } from '../../series/report';
import { linkTitle, metricOf, resultsOf } from '../values';

interface Props {
  readonly report: Report;
  readonly figure: Extract<Figure, { kind: 'box-plot' }>;
  /** CSS pixels. */
  readonly width: number;
}

/** A box for each variant; whiskers as the paper drew them. */
export function BoxFigure({ report, figure, width }: Props) {
  const { metric } = figure;
  const whiskers = shareOf(figure.whiskers ?? 0);
  const boxes = (report.experiment.figures ?? []).filter((other) => other.kind === 'box-plot');
  const about = metricOf(report, metric);
  const results = resultsOf(report);
  const groups = cellsByLink(results);
  const valuesOf = (name: string) => report.cells.flatMap((cell) => cell.metrics[name]?.values ?? []);
  const values = valuesOf(metric);
  // Boxes of one unit have one axis in all figures of the experiment, so that they can be compared.
  const beside = boxes.flatMap((other) =>
    metricOf(report, other.metric).unit === about.unit ? valuesOf(other.metric) : [],
  );
  const printed = report.cells.flatMap(
    (cell) => publishedValue(report.experiment.published, cell, metric) ?? [],
  );
  if (values.length === 0) return <p className="none">Not measured.</p>;
  return (
    <div className="boxes">
      {groups.map(({ link, cells }, i) => (
        <div key={link}>
          {boxes.length > 1 && i === 0 && <h4>{figure.title ?? metricTitle(about)}</h4>}
          {groups.length > 1 && <h4>{linkTitle(report, link)}</h4>}
          <BoxPlot
            rows={rowsOf(results, cells, metric, ({ metrics }) =>
              (metrics[metric]?.values ?? []).map((value, j) => ({
                key: String(j),
                value,
                repetition: j + 1,
              })),
            ).map((row) => ({ ...row, spread: row.spread && within(row.spread, whiskers) }))}
            title={metricTitle(about)}
            say={(value) => formatMetric(value, about)}
            domain={boxDomain([...values, ...beside, ...printed])}
            width={width}
            axisTitle={i === groups.length - 1}
            colors={PAGE_COLORS}
          />
        </div>
      ))}
      {figure === boxes.at(-1) && (
        <figcaption>
          {boxes.length === 1 && <b>{metricTitle(about)}. </b>}The line in the box is the median, the box
          spans the quartiles, the whiskers reach{' '}
          {whiskers > 0
            ? `the ${100 * whiskers}th and the ${100 - 100 * whiskers}th percentile`
            : 'the least and the greatest'}
          ; each dot is a run.
          {report.experiment.published?.columns.some((column) => column.metric === metric) === true &&
            ` The diamond is the ${averageOf(report.experiment)} that the paper printed.`}
        </figcaption>
      )}
    </div>
  );
}

/** `5 %` as 0.05. */
function shareOf(text: string | number): number {
  return typeof text === 'string' && text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
}

/** A spread whose ends are percentiles. */
function within(spread: Spread, whiskers: number): Spread {
  if (whiskers === 0) return spread;
  const { values } = spread;
  return { ...spread, min: quantile(values, whiskers), max: quantile(values, 1 - whiskers) };
}
