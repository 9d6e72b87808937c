import { useRef } from 'react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { useWidth } from '../../figures/use-width';
import { px } from '../../lib/brand';
import { formatMetric, metricOf } from '../../lib/metrics';
import { LinearScale } from '../../lib/scale';
import { to } from '../../ui/links';
import { differing, labelled, levelsOf, marksOf, placesOf, stretchesOf } from './course';

type Point = Schema<'TrendPointView'>;

interface Props {
  readonly trend: Schema<'TrendView'>;
  readonly series: Schema<'TrendSeriesView'>;
  /** The least and the greatest value of the axis. */
  readonly reach: readonly [number, number];
  readonly label: string;
}

const HEIGHT = 200;
const [LEFT, RIGHT, TOP, BOTTOM] = [76, 36, 10, 34];
/** A name on the axis needs so much room. */
const NAME_WIDTH = 72;
const GRID_LINES = 4;

/**
 * The median of each batch with its interval; the levels between changes, and a line where one is. Each point leads to its
 * batch. Points that are not comparable are not connected; a point that was given something else than that before has a ring.
 */
export function TrendChart({ trend, series, reach, label }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { batches, confidence } = trend;
  const numbers = batches.map(({ id }) => id);
  const about = metricOf(trend.metric);
  const say = (value: number) => formatMetric(value, about);
  const step = (width - LEFT - RIGHT) / Math.max(1, batches.length);
  const x = (place: number) => LEFT + step * (place + 0.5);
  const y = new LinearScale(reach[0], reach[1], px(HEIGHT - BOTTOM), px(TOP));
  const places = placesOf(series, numbers);
  return (
    <div ref={frame} style={{ minHeight: HEIGHT }}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="group" aria-label={label} fontSize={11}>
          {marksOf(reach, GRID_LINES).map(({ value, label: mark }) => (
            <g key={value}>
              <line
                x1={LEFT}
                x2={width - RIGHT}
                y1={y.toPx(value)}
                y2={y.toPx(value)}
                stroke="var(--faint)"
              />
              <text x={LEFT - 8} y={y.toPx(value) + 4} textAnchor="end" fill="var(--muted)">
                {mark}
              </text>
            </g>
          ))}
          {labelled(batches.length, (width - LEFT - RIGHT) / NAME_WIDTH).map((place) => (
            <text key={place} x={x(place)} textAnchor="middle" fill="var(--muted)" y={HEIGHT - BOTTOM + 15}>
              {day(batches[place].created_at)}
              <tspan x={x(place)} dy={13}>
                {batches[place].commit.slice(0, 7)}
              </tspan>
            </text>
          ))}
          {series.changes.map(({ batch }) => (
            <line
              key={batch}
              x1={x(numbers.indexOf(batch)) - step / 2}
              x2={x(numbers.indexOf(batch)) - step / 2}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
              stroke="var(--bad)"
              strokeWidth={1.5}
              strokeDasharray="4 3"
            />
          ))}
          {levelsOf(series, numbers).map(({ from, to: end, value }) => (
            <line
              key={from}
              x1={x(from) - step / 2}
              x2={x(end) + step / 2}
              y1={y.toPx(value)}
              y2={y.toPx(value)}
              stroke="var(--bad)"
              strokeWidth={1.5}
            />
          ))}
          {stretchesOf(series).map((points) => (
            <polyline
              key={points[0].batch}
              points={points
                .map(({ batch, median }) => `${x(numbers.indexOf(batch))},${y.toPx(median.value)}`)
                .join(' ')}
              fill="none"
              stroke="var(--muted)"
            />
          ))}
          {series.points.map((point, i) => (
            <Point
              key={point.batch}
              point={point}
              words={pointInWords(point, batches[places[i]], confidence, say)}
              x={x(places[i])}
              width={step}
              y={y}
            />
          ))}
        </svg>
      )}
    </div>
  );
}

interface PointProps {
  readonly point: Point;
  readonly words: string;
  readonly x: number;
  /** Of the place that it can be chosen in. */
  readonly width: number;
  readonly y: LinearScale<number>;
}

/** A batch: its median and interval, and the way to its page. */
function Point({ point: { batch, median, apart }, words, x, width, y }: PointProps) {
  return (
    <Link to={to.batch(batch)} aria-label={words}>
      <title>{words}</title>
      <rect x={x - width / 2} y={TOP} width={width} height={HEIGHT - BOTTOM - TOP} fill="transparent" />
      {median.low !== null && median.high !== null && (
        <line
          x1={x}
          x2={x}
          y1={y.toPx(median.low)}
          y2={y.toPx(median.high)}
          stroke="var(--box-line)"
          strokeWidth={2}
        />
      )}
      <circle cx={x} cy={y.toPx(median.value)} r={4} fill="var(--ink)" />
      {apart.length > 0 && (
        <circle cx={x} cy={y.toPx(median.value)} r={7.5} fill="none" stroke="var(--ink)" strokeWidth={1.5} />
      )}
    </Link>
  );
}

function pointInWords(
  { batch, runs, median: { value, low, high }, comparable, apart }: Point,
  { created_at, commit }: Schema<'TrendBatchView'>,
  confidence: number,
  say: (value: number) => string,
): string {
  const interval =
    low === null || high === null
      ? `${runs} runs, too few for an interval`
      : `${confidence * 100} % interval ${say(low)} to ${say(high)}, ${runs} runs`;
  const changed =
    apart.length === 0
      ? ''
      : `. ${comparable ? 'Changed since the batch before' : 'Not comparable with the batch before; changed'}: ${differing(apart)}`;
  return `Batch ${batch}, ${day(created_at)}, commit ${commit.slice(0, 12)}: ${say(value)} (${interval})${changed}`;
}

/** The day of a moment, as the service keeps it. */
function day(moment: string): string {
  return moment.slice(0, 10);
}
