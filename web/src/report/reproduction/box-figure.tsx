import { boxDomain } from '../../figures/box-axis';
import { BoxPlot } from '../../figures/box-plot';
import type { Figure, Report, Summary } from '../../series/report';
import { COLORS } from '../box-plots';
import {
  averageOf,
  cellsByLink,
  formatValue,
  labelOf,
  linkTitle,
  publishedValue,
  titleOf,
  variantTitle,
} from '../values';

interface Props {
  readonly report: Report;
  readonly figure: Extract<Figure, { kind: 'box-plot' }>;
  /** CSS pixels. */
  readonly width: number;
}

/** A box for each variant; whiskers as the paper drew them. */
export function BoxFigure({ report, figure, width }: Props) {
  const { metric, whiskers } = figure;
  const boxes = report.experiment.figures.filter((other) => other.kind === 'box-plot');
  const label = labelOf(report, metric);
  const groups = cellsByLink(report);
  const valuesOf = (name: string) => report.cells.flatMap((cell) => cell.metrics.get(name)?.values ?? []);
  const values = valuesOf(metric);
  // Boxes of one unit have one axis in all figures of the experiment, so that they can be compared.
  const beside = boxes.flatMap((other) =>
    labelOf(report, other.metric).unit === label.unit ? valuesOf(other.metric) : [],
  );
  const printed = report.cells.flatMap(
    (cell) => publishedValue(report.experiment.published, cell, metric) ?? [],
  );
  if (values.length === 0) return <p className="none">Not measured.</p>;
  return (
    <div className="boxes">
      {groups.map(({ link, cells }, i) => (
        <div key={link}>
          {boxes.length > 1 && i === 0 && <h4>{figure.title ?? titleOf(label)}</h4>}
          {groups.length > 1 && <h4>{linkTitle(report, link)}</h4>}
          <BoxPlot
            rows={cells.map((cell) => {
              const summary = cell.metrics.get(metric);
              return {
                key: cell.variant,
                name: variantTitle(report, cell.variant),
                detail: '',
                live: false,
                spread: summary ? within(summary, whiskers) : null,
                without: 'not measured',
                dots: (summary?.values ?? []).map((value, j) => ({
                  key: String(j),
                  value,
                  repetition: j + 1,
                })),
                paper: publishedValue(report.experiment.published, cell, metric),
              };
            })}
            title={titleOf(label)}
            say={(value) => formatValue(value, label)}
            domain={boxDomain([...values, ...beside, ...printed])}
            width={width}
            axisTitle={i === groups.length - 1}
            colors={COLORS}
          />
        </div>
      ))}
      {figure === boxes.at(-1) && (
        <figcaption>
          {boxes.length === 1 && <b>{titleOf(label)}. </b>}The line in the box is the median, the box spans
          the quartiles, the whiskers reach{' '}
          {whiskers > 0
            ? `the ${100 * whiskers}th and the ${100 - 100 * whiskers}th percentile`
            : 'the least and the greatest'}
          ; each dot is a run.
          {report.experiment.published?.columns.some((column) => column.metric === metric) === true &&
            ` The diamond is the ${averageOf(report)} that the paper printed.`}
        </figcaption>
      )}
    </div>
  );
}

/** A summary whose ends are percentiles. */
function within(summary: Summary, whiskers: number): Summary {
  if (whiskers === 0) return summary;
  const sorted = [...summary.values].sort((a, b) => a - b);
  return { ...summary, min: quantile(sorted, whiskers), max: quantile(sorted, 1 - whiskers) };
}

/** As the quartiles: linear between the two nearest values in order. */
export function quantile(sorted: readonly number[], q: number): number {
  const place = q * (sorted.length - 1);
  const [below, above] = [Math.floor(place), Math.ceil(place)];
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
