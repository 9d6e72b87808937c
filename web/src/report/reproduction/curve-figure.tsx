import type { Figure, Report } from '../../series/report';
import { metricTitle } from '../../lib/metric';
import { averageOf } from '../../results/model';
import { metricOf, variantTitle } from '../values';
import { Legend, LinePlot, type Line } from './line-plot';

interface Props {
  readonly report: Report;
  readonly figure: Extract<Figure, { kind: 'curve' }>;
  /** CSS pixels. */
  readonly width: number;
}

/** A curve for each variant over the links, with the 95 % interval at each of them. */
export function CurveFigure({ report, figure, width }: Props) {
  const lines = curvesOf(report, figure);
  return (
    <>
      <Legend lines={lines} />
      <LinePlot
        lines={lines}
        across={figure.axis}
        up={metricTitle(metricOf(report, figure.metric))}
        width={width}
        marks
      />
      <figcaption>
        <b>{metricTitle(metricOf(report, figure.metric))}</b>, the {averageOf(report.experiment)} of{' '}
        {report.experiment.repetitions} runs at each point with its 95 % interval.
      </figcaption>
    </>
  );
}

/** The points of each variant, in the order of the axis. */
export function curvesOf(report: Report, { metric, at }: Props['figure']): readonly Line[] {
  return report.experiment.variants.map((variant, hue) => ({
    name: variantTitle(report, variant.name),
    hue,
    points: report.experiment.links
      .flatMap((link, i) => {
        const of = (one: { variant: string; link: string }) =>
          one.variant === variant.name && one.link === link.name;
        const summary = report.cells.find(of)?.metrics[metric];
        const sure = report.intervals.find((one) => of(one) && one.metric === metric);
        if (!summary) return [];
        const y = averageOf(report.experiment) === 'mean' ? summary.mean : summary.median;
        return [{ x: at[i], y, ...(sure && { sure: [sure.low, sure.high] as const }) }];
      })
      .sort((a, b) => a.x - b.x),
  }));
}
