import { useRef, useState } from 'react';

import { px } from '../lib/brand';
import { plural } from '../lib/format';
import { LinearScale } from '../lib/scale';
import { countTicks, decimalsFor, niceStep, niceValues } from '../lib/ticks';
import {
  SIMULATED,
  type Cell,
  type MetricLabel,
  type Report,
  type RunEntry,
  type Summary,
} from '../series/report';
import { useWidth } from './use-width';
import {
  allMetrics,
  cellKey,
  cellsByLink,
  formatValue,
  hasLive,
  labelOf,
  linkTitle,
  publishedValue,
  spreadInWords,
  testbedTitle,
  titleOf,
  variantTitle,
} from './values';

const FIRST_CHOICE = ['throughput_bps', 'elapsed_s', 'retransmissions'];
const ROW = 44;
const BOX = 15;

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
                all={report.cells}
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
          ) && ' The diamond is the median that the paper printed.'}
        </figcaption>
      </figure>
    </section>
  );
}

interface PlotProps extends Props {
  readonly cells: readonly Cell[];
  /** Cells that share the axis. */
  readonly all: readonly Cell[];
  readonly metric: string;
  readonly label: MetricLabel;
  readonly width: number;
  readonly axisTitle: boolean;
}

function Plot({ report, cells, all, metric, label, width, selected, onSelect, axisTitle }: PlotProps) {
  const { published } = report.experiment;
  const narrow = width < 620;
  const left = narrow ? 8 : 190;
  const right = 16;
  const row = narrow ? ROW + 16 : ROW;
  const values = all.flatMap((cell) => {
    const summary = cell.metrics.get(metric);
    const paper = publishedValue(published, cell, metric);
    return [...(summary ? [summary.min, summary.max] : []), ...(paper === null ? [] : [paper])];
  });
  if (values.length === 0) return <p className="none">Not measured.</p>;
  const [lo, hi] = domain(Math.min(...values), Math.max(...values));
  const x = new LinearScale(lo, hi, px(left), px(width - right));
  const bottom = 6 + cells.length * row;
  const height = bottom + (axisTitle ? 40 : 24);
  const ticks = axisTicks(lo, hi, Math.max(4, Math.round((width - left) / 100)));
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Box plots of ${titleOf(label)} by variant`}
    >
      {ticks.map(({ value, text }) => (
        <g key={value}>
          <line className="gridline" x1={x.toPx(value)} x2={x.toPx(value)} y1={4} y2={bottom} />
          <text className="tick" x={x.toPx(value)} y={bottom + 15} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      <line className="axis" x1={left} x2={width - right} y1={bottom} y2={bottom} />
      {axisTitle && (
        <text className="axis-title" x={(left + width - right) / 2} y={bottom + 34} textAnchor="middle">
          {titleOf(label)}
        </text>
      )}
      {cells.map((cell, i) => {
        const middle = 6 + i * row + row - ROW / 2;
        const summary = cell.metrics.get(metric);
        const paper = publishedValue(published, cell, metric);
        return (
          <g key={cellKey(cell)}>
            <RowName
              report={report}
              cell={cell}
              first={i === 0 || cells[i - 1].variant !== cell.variant}
              x={left}
              middle={middle}
              narrow={narrow}
            />
            {!summary && (
              <text x={left + 8} y={middle} dy="0.35em">
                {cell.runs === 0 ? 'no valid run' : 'not measured'}
              </text>
            )}
            {summary && (
              <BoxRow
                summary={summary}
                label={label}
                x={x}
                middle={middle}
                testbed={cell.testbed}
                runs={report.runs.filter(
                  (run) =>
                    cellKey(run) === cellKey(cell) &&
                    run.link === cell.link &&
                    run.certificate?.valid !== false,
                )}
                metric={metric}
                selected={selected}
                onSelect={onSelect}
              />
            )}
            {paper !== null && (i === 0 || cells[i - 1].variant !== cell.variant) && (
              <Paper at={x.toPx(paper)} middle={middle} text={formatValue(paper, label)} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface RowNameProps {
  readonly report: Report;
  readonly cell: Cell;
  /** Whether it is the first row of its variant. */
  readonly first: boolean;
  readonly x: number;
  readonly middle: number;
  readonly narrow: boolean;
}

/** The variant, and below it the testbed where there are several; in one line where there is little room. */
function RowName({ report, cell, first, x, middle, narrow }: RowNameProps) {
  const title = variantTitle(report, cell.variant);
  if (!hasLive(report)) {
    const y = narrow ? middle - 26 : middle;
    return (
      <text
        className="row-name"
        x={narrow ? x : x - 14}
        y={y}
        dy="0.35em"
        textAnchor={narrow ? 'start' : 'end'}
      >
        {title}
      </text>
    );
  }
  if (narrow) {
    return (
      <text className="row-name" x={x} y={middle - 26} dy="0.35em">
        {title} <tspan className="row-testbed">{testbedTitle(cell.testbed)}</tspan>
      </text>
    );
  }
  return (
    <>
      {first && (
        <text className="row-name" x={x - 14} y={middle - 9} dy="0.35em" textAnchor="end">
          {title}
        </text>
      )}
      <text className="row-testbed" x={x - 14} y={first ? middle + 8 : middle} dy="0.35em" textAnchor="end">
        {testbedTitle(cell.testbed)}
      </text>
    </>
  );
}

function Paper({
  at,
  middle,
  text,
}: {
  readonly at: number;
  readonly middle: number;
  readonly text: string;
}) {
  const top = middle - BOX / 2 - 6;
  return (
    <g className="paper-mark">
      <title>{`paper: ${text}`}</title>
      <path d={`M${at} ${top - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z`} />
      <text x={at + 8} y={top} dy="0.35em">
        paper {text}
      </text>
    </g>
  );
}

interface BoxRowProps {
  readonly summary: Summary;
  readonly testbed: string;
  readonly label: MetricLabel;
  readonly x: LinearScale<number>;
  readonly middle: number;
  readonly runs: readonly RunEntry[];
  readonly metric: string;
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}

function BoxRow({ summary, testbed, label, x, middle, runs, metric, selected, onSelect }: BoxRowProps) {
  const [min, q1, median, q3, max] = [summary.min, summary.q1, summary.median, summary.q3, summary.max].map(
    (v) => x.toPx(v),
  );
  const [top, foot] = [middle - BOX / 2, middle + BOX / 2];
  return (
    <>
      <g className="box" data-live={testbed !== SIMULATED}>
        <title>{spreadInWords(summary, label)}</title>
        <path className="whisker" d={`M${min} ${middle}H${q1}M${q3} ${middle}H${max}`} />
        <path
          className="whisker"
          d={`M${min} ${middle - 4}V${middle + 4}M${max} ${middle - 4}V${middle + 4}`}
        />
        <rect x={q1} y={top} width={Math.max(1, q3 - q1)} height={BOX} />
        <path className="median" d={`M${median} ${top - 1}V${foot + 1}`} />
      </g>
      <g className="dots">
        {runs.map((run) => {
          const value = run.metrics.get(metric);
          if (value === undefined) return null;
          return (
            <circle
              key={run.key}
              cx={x.toPx(value)}
              cy={foot + 5 + ((run.repetition * 7) % 5)}
              r={run.key === selected ? 4 : 2.6}
              data-selected={run.key === selected}
              onClick={() => {
                onSelect(run.key);
              }}
            >
              <title>{`repetition ${run.repetition}: ${formatValue(value, label)}`}</title>
            </circle>
          );
        })}
      </g>
    </>
  );
}

/** A little air on both sides; zero at the left where it is near. */
function domain(lo: number, hi: number): [number, number] {
  const air = Math.max((hi - lo) * 0.04, Math.abs(hi) * 0.01, 1e-9);
  return [lo >= 0 && lo < 0.35 * hi ? 0 : lo - air, hi + air];
}

function axisTicks(lo: number, hi: number, count: number): { value: number; text: string }[] {
  const step = niceStep(hi - lo, count);
  if (step >= 1 && hi >= 10_000) {
    return countTicks(lo, hi, count, '').marks.map(({ value }) => ({
      value,
      text: formatValue(value, { label: '', unit: '', digits: 0, better: null }),
    }));
  }
  const decimals = decimalsFor(step);
  return niceValues(lo, hi, count).map((value) => ({ value, text: value.toFixed(decimals) }));
}
