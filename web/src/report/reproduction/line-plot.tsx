import { px } from '../../lib/brand';
import { LinearScale } from '../../lib/scale';
import { boxTicks } from '../../figures/box-axis';

/** One line of a plot. */
export interface Line {
  readonly name: string;
  /** Which of the page's hues, from 0. */
  readonly hue: number;
  readonly dashed?: boolean;
  /** Whether a value holds until the next one. */
  readonly steps?: boolean;
  /** Whether each point is a dot. */
  readonly dots?: boolean;
  /** Whether the points are joined; they are unless told. */
  readonly joined?: boolean;
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Where it lies with 95 % confidence. */
  readonly sure?: readonly [number, number];
}

/** A time in which the link held or lost everything. */
export interface Band {
  readonly kind: 'hold' | 'outage';
  readonly from: number;
  readonly until: number;
}

interface Props {
  readonly lines: readonly Line[];
  /** Names and units of the axes. */
  readonly across: string;
  readonly up: string;
  /** CSS pixels. */
  readonly width: number;
  /** Whether each point is marked. */
  readonly marks?: boolean;
  /** Horizontal lines at these values, with a word to each. */
  readonly levels?: readonly { readonly at: number; readonly name: string }[];
  /** Stretches of the lower axis that are shaded. */
  readonly bands?: readonly Band[];
  /** What the axes reach at least, for plots that are compared. */
  readonly reach?: { readonly x: number; readonly y: number };
}

const LEFT = 62;
const RIGHT = 16;
const TOP = 26;
const HEIGHT = 300;
const HUES = 6;

const colorOf = ({ hue }: Line) => ({ color: `var(--hue-${hue % HUES})` });

/** Lines over a common axis, from zero up. */
export function LinePlot({ lines, across, up, width, marks = false, levels = [], bands = [], reach }: Props) {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return <p className="none">Not measured.</p>;
  const xs = points.map((point) => point.x);
  const highest = greatest([
    ...points.map((p) => p.sure?.[1] ?? p.y),
    ...levels.map((level) => level.at),
    reach?.y ?? 0,
    1e-9,
  ]);
  const foot = HEIGHT - 44;
  const x = new LinearScale(
    -greatest(xs.map((at) => -at)),
    greatest([...xs, reach?.x ?? -Infinity]),
    px(LEFT),
    px(width - RIGHT),
  );
  const y = new LinearScale(0, highest * 1.06, px(foot), px(TOP));
  return (
    <svg
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${up} against ${across}`}
      className="lines"
    >
      {bands.map(({ kind, from, until }) => (
        // What is shorter than a pixel is seen all the same.
        <rect
          key={`${kind} ${from}`}
          className="band"
          data-kind={kind}
          x={x.toPx(from)}
          y={TOP}
          width={Math.max(1, x.toPx(until) - x.toPx(from))}
          height={foot - TOP}
        />
      ))}
      {boxTicks(x.d0, x.d1, Math.max(4, Math.round(width / 110))).map(({ value, text }) => (
        <g key={value}>
          <line x1={x.toPx(value)} x2={x.toPx(value)} y1={TOP} y2={foot} className="grid" />
          <text x={x.toPx(value)} y={foot + 16} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      {boxTicks(0, y.d1, 5).map(({ value, text }) => (
        <g key={value}>
          <line x1={LEFT} x2={width - RIGHT} y1={y.toPx(value)} y2={y.toPx(value)} className="grid" />
          <text x={LEFT - 7} y={y.toPx(value)} dy="0.35em" textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 8} textAnchor="middle" className="title">
        {across}
      </text>
      <text x={4} y={14} className="title">
        {up}
      </text>
      {levels.map(({ at, name }) => (
        <g key={name} className="level">
          <line x1={LEFT} x2={width - RIGHT} y1={y.toPx(at)} y2={y.toPx(at)} />
          <text x={width - RIGHT} y={y.toPx(at) - 5} textAnchor="end">
            {name}
          </text>
        </g>
      ))}
      {lines.map((line) => (
        <g key={line.name} className="line" style={colorOf(line)}>
          {line.points.map(({ x: at, sure }) =>
            sure ? (
              <path key={at} className="sure" d={`M${x.toPx(at)} ${y.toPx(sure[0])}V${y.toPx(sure[1])}`} />
            ) : null,
          )}
          {line.joined !== false && (
            <path className="course" strokeDasharray={line.dashed ? '6 4' : undefined} d={path(line, x, y)} />
          )}
          {line.dots === true && <path className="dots" d={dots(line, x, y)} />}
          {marks &&
            line.points.map((point) => (
              <circle key={point.x} cx={x.toPx(point.x)} cy={y.toPx(point.y)} r={3.2}>
                <title>{`${line.name}: ${point.y}`}</title>
              </circle>
            ))}
        </g>
      ))}
    </svg>
  );
}

/** How far to the right and up the points of these lines reach, from zero. */
export function farthest(lines: readonly Line[]): { readonly x: number; readonly y: number } {
  const points = lines.flatMap((line) => line.points);
  return { x: greatest([0, ...points.map(({ x }) => x)]), y: greatest([0, ...points.map(({ y }) => y)]) };
}

/** Of many numbers; the arguments of a function are bounded. */
function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity);
}

/** A stroke of no length at each point, which its round ends make a dot. */
function dots(line: Line, x: LinearScale<number>, y: LinearScale<number>): string {
  return line.points
    .map((point) => `M${x.toPx(point.x).toFixed(1)} ${y.toPx(point.y).toFixed(1)}h0`)
    .join('');
}

function path(line: Line, x: LinearScale<number>, y: LinearScale<number>): string {
  let last = '';
  let d = '';
  for (const point of line.points) {
    const [across, up] = [x.toPx(point.x).toFixed(1), y.toPx(point.y).toFixed(1)];
    if (d === '') d = `M${across} ${up}`;
    else if (line.steps === true) d += last === up ? '' : `H${across}V${up}`;
    else d += `L${across} ${up}`;
    last = up;
  }
  const end = line.points.at(-1);
  return line.steps === true && end ? `${d}H${x.toPx(end.x).toFixed(1)}` : d;
}

interface LegendProps {
  readonly lines: readonly Line[];
  readonly bands?: readonly Band['kind'][];
}

/** What each line is, in its colour, and what is shaded. */
export function Legend({ lines, bands = [] }: LegendProps) {
  return (
    <p className="legend">
      {lines.map((line) => (
        <span key={line.name} style={colorOf(line)}>
          <i
            data-look={line.joined === false ? 'dots' : line.dashed === true ? 'dashed' : 'line'}
            aria-hidden="true"
          />{' '}
          {line.name}
        </span>
      ))}
      {bands.map((kind) => (
        <span key={kind}>
          <i data-look={kind} aria-hidden="true" /> {kind}s
        </span>
      ))}
    </p>
  );
}
