import { useRef, useState } from 'react';

import { boxDomain } from '../figures/box-axis';
import type { BoxColors } from '../figures/box-colors';
import { BoxPlot, type BoxRow } from '../figures/box-plot';
import { plural } from '../lib/format';
import { SIMULATED, type Cell, type MetricLabel, type Report } from '../series/report';
import { useWidth } from './use-width';
import {
  allMetrics,
  averageOf,
  cellKey,
  cellsByLink,
  formatValue,
  hasLive,
  labelOf,
  linkTitle,
  publishedValue,
  testbedTitle,
  titleOf,
  variantTitle,
} from './values';

/** The page's own, so that they follow its theme, and are dark on white when it is printed. */
export const COLORS: BoxColors = {
  text: 'var(--ink)',
  muted: 'var(--muted)',
  grid: 'var(--faint)',
  axis: 'var(--muted)',
  dot: 'var(--ink)',
  marked: 'var(--bad)',
  box: 'var(--box)',
  liveBox: 'var(--live-box)',
  line: 'var(--box-line)',
};

const FIRST_CHOICE = ['throughput_bps', 'elapsed_s', 'retransmissions'];

interface Props {
  readonly report: Report;
  /** The key of the run on show. */
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}

/** Distribution of a metric over the repetitions: median, quartiles, extremes, every run as a dot. */
export function BoxPlots({ report, selected, onSelect }: Props) {
  const metrics = allMetrics(report);
  const first = FIRST_CHOICE.filter((metric) => metrics.includes(metric));
  const [metric, setMetric] = useState(first.at(0) ?? metrics.at(0) ?? '');
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const label = labelOf(report, metric);
  const others = metrics.filter((one) => !first.includes(one));
  return (
    <section id="distributions">
      <h2>Distributions</h2>
      <div className="options" role="group" aria-label="Metric">
        {first.map((one) => (
          <button
            key={one}
            type="button"
            className="choice"
            aria-pressed={one === metric}
            onClick={() => {
              setMetric(one);
            }}
          >
            {labelOf(report, one).label}
          </button>
        ))}
        {others.length > 0 && (
          <select
            aria-label="Another metric"
            value={others.includes(metric) ? metric : ''}
            onChange={(event) => {
              if (event.target.value !== '') setMetric(event.target.value);
            }}
          >
            <option value="">other metric…</option>
            {others.map((one) => (
              <option key={one} value={one}>
                {labelOf(report, one).label}
              </option>
            ))}
          </select>
        )}
      </div>
      <figure className="boxes" ref={frame}>
        {width > 0 &&
          cellsByLink(report).map(({ link, cells }, i, groups) => (
            <div key={link}>
              {groups.length > 1 && <h3>{linkTitle(report, link)}</h3>}
              <Plot
                report={report}
                cells={cells}
                metric={metric}
                label={label}
                width={width}
                selected={selected}
                onSelect={onSelect}
                axisTitle={i === groups.length - 1}
              />
            </div>
          ))}
        <figcaption>
          <b>{titleOf(label)}</b> over {plural(report.experiment.repetitions, 'repetition')}
          {label.better !== null && `; ${label.better} is better`}. The line in the box is the median, the box
          spans the quartiles, the whiskers reach the least and the greatest. Each dot is a run: choose one to
          see its diagram.
          {hasLive(report) && ' Blue boxes are of simulated runs, green ones of live runs that are valid.'}
          {cellsByLink(report).some(({ cells }) =>
            cells.some((cell) => publishedValue(report.experiment.published, cell, metric) !== null),
          ) && ` The diamond is the ${averageOf(report)} that the paper printed.`}
        </figcaption>
      </figure>
    </section>
  );
}

interface PlotProps extends Props {
  readonly cells: readonly Cell[];
  readonly metric: string;
  readonly label: MetricLabel;
  readonly width: number;
  readonly axisTitle: boolean;
}

/** The cells of one link. All links have one axis. */
function Plot({ report, cells, metric, label, width, selected, onSelect, axisTitle }: PlotProps) {
  const values = report.cells.flatMap((cell) => {
    const summary = cell.metrics.get(metric);
    const paper = publishedValue(report.experiment.published, cell, metric);
    return [...(summary ? [summary.min, summary.max] : []), ...(paper === null ? [] : [paper])];
  });
  if (values.length === 0) return <p className="none">Not measured.</p>;
  return (
    <BoxPlot
      rows={cells.map((cell, i) => rowOf(report, cell, cells.at(i - 1), i === 0, metric))}
      title={titleOf(label)}
      say={(value) => formatValue(value, label)}
      domain={boxDomain(values)}
      width={width}
      axisTitle={axisTitle}
      colors={COLORS}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

/** A cell as a box: the variant is named, and its paper's value shown, at the first of its testbeds. */
function rowOf(
  report: Report,
  cell: Cell,
  before: Cell | undefined,
  topmost: boolean,
  metric: string,
): BoxRow {
  const first = topmost || before?.variant !== cell.variant;
  return {
    key: cellKey(cell),
    name: first ? variantTitle(report, cell.variant) : '',
    detail: hasLive(report) ? testbedTitle(cell.testbed) : '',
    live: cell.testbed !== SIMULATED,
    spread: cell.metrics.get(metric) ?? null,
    without: cell.runs === 0 ? 'no valid run' : 'not measured',
    dots: report.runs
      .filter(
        (run) => cellKey(run) === cellKey(cell) && run.link === cell.link && run.certificate?.valid !== false,
      )
      .flatMap((run) => {
        const value = run.metrics.get(metric);
        return value === undefined ? [] : [{ key: run.key, value, repetition: run.repetition }];
      }),
    paper: first ? publishedValue(report.experiment.published, cell, metric) : null,
  };
}
