import { px } from '../lib/brand';
import { LinearScale } from '../lib/scale';
import { spreadInWords, type Spread } from '../lib/spread';
import { boxTicks } from './box-axis';
import type { BoxColors } from './box-colors';

/** One box of the plot. */
export interface BoxRow {
  readonly key: string;
  /** What it is called; empty if the box above has the same name. */
  readonly name: string;
  /** What tells it from others of its name. */
  readonly detail: string;
  readonly live: boolean;
  /** Null if nothing was measured; `without` says so then. */
  readonly spread: Spread | null;
  readonly without: string;
  /** The single runs. */
  readonly dots: readonly BoxDot[];
  /** What a paper printed for it. */
  readonly paper: number | null;
}

export interface BoxDot {
  readonly key: string;
  readonly value: number;
  readonly repetition: number;
}

interface Props {
  readonly rows: readonly BoxRow[];
  /** Name and unit of what is plotted. */
  readonly title: string;
  readonly say: (value: number) => string;
  /** Least and greatest of the axis (`boxDomain`). */
  readonly domain: readonly [number, number];
  /** CSS pixels. */
  readonly width: number;
  readonly axisTitle: boolean;
  readonly colors: BoxColors;
  /** The run on show. */
  readonly selected?: string | null;
  readonly onSelect?: (key: string) => void;
}

const ROW = 44;
const BOX = 15;
/** Below this width names stand above their boxes. */
const NARROW = 620;
const NAMES = 190;

/**
 * Distributions of one metric: median, quartiles, extremes, every run as a dot. All looks are in attributes, so that what
 * is saved as a file looks as it does here.
 */
export function BoxPlot(props: Props) {
  const { rows, title, domain, width, axisTitle, colors } = props;
  const narrow = width < NARROW;
  const left = narrow ? 8 : NAMES;
  const right = width - 16;
  const row = narrow ? ROW + 16 : ROW;
  const x = new LinearScale(domain[0], domain[1], px(left), px(right));
  const bottom = 6 + rows.length * row;
  const height = bottom + (axisTitle ? 40 : 24);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Box plots of ${title} by variant`}
      fontFamily="system-ui, sans-serif"
      fontSize={12}
    >
      {boxTicks(domain[0], domain[1], Math.max(4, Math.round((width - left) / 100))).map(
        ({ value, text }) => (
          <g key={value}>
            <line x1={x.toPx(value)} x2={x.toPx(value)} y1={4} y2={bottom} stroke={colors.grid} />
            <text x={x.toPx(value)} y={bottom + 15} textAnchor="middle" fontSize={11} fill={colors.muted}>
              {text}
            </text>
          </g>
        ),
      )}
      <line x1={left} x2={right} y1={bottom} y2={bottom} stroke={colors.axis} />
      {axisTitle && (
        <text x={(left + right) / 2} y={bottom + 34} textAnchor="middle" fill={colors.muted}>
          {title}
        </text>
      )}
      {rows.map((one, i) => {
        const middle = 6 + i * row + row - ROW / 2;
        return (
          <g key={one.key}>
            <Name row={one} x={left} middle={middle} narrow={narrow} colors={colors} />
            {one.spread ? (
              <Box {...props} row={one} spread={one.spread} x={x} middle={middle} />
            ) : (
              <text x={left + 8} y={middle} dy="0.35em" fill={colors.muted}>
                {one.without}
              </text>
            )}
            {one.paper !== null && (
              <Paper at={x.toPx(one.paper)} middle={middle} text={props.say(one.paper)} colors={colors} />
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface NameProps {
  readonly row: BoxRow;
  readonly x: number;
  readonly middle: number;
  readonly narrow: boolean;
  readonly colors: BoxColors;
}

/** The variant and what tells it from others of its name; in one line where there is little room. */
function Name({ row, x, middle, narrow, colors }: NameProps) {
  const { text, muted } = colors;
  if (narrow)
    return (
      <text x={x} y={middle - 26} dy="0.35em" fill={text}>
        {row.name} <tspan fill={muted}>{row.detail}</tspan>
      </text>
    );
  const both = row.name !== '' && row.detail !== '';
  return (
    <>
      <text x={x - 14} y={both ? middle - 9 : middle} dy="0.35em" textAnchor="end" fill={text}>
        {row.name}
      </text>
      <text x={x - 14} y={both ? middle + 8 : middle} dy="0.35em" textAnchor="end" fontSize={11} fill={muted}>
        {row.detail}
      </text>
    </>
  );
}

interface BoxProps extends Props {
  readonly row: BoxRow;
  readonly spread: Spread;
  readonly x: LinearScale<number>;
  readonly middle: number;
}

function Box({ row, spread, x, middle, say, colors, selected, onSelect }: BoxProps) {
  const [min, q1, median, q3, max] = [spread.min, spread.q1, spread.median, spread.q3, spread.max].map((v) =>
    x.toPx(v),
  );
  const [top, foot] = [middle - BOX / 2, middle + BOX / 2];
  return (
    <>
      <g className="box" data-live={row.live} fill="none" stroke={colors.line}>
        <title>{spreadInWords(spread, say)}</title>
        <path d={`M${min} ${middle}H${q1}M${q3} ${middle}H${max}`} />
        <path d={`M${min} ${middle - 4}V${middle + 4}M${max} ${middle - 4}V${middle + 4}`} />
        <rect
          x={q1}
          y={top}
          width={Math.max(1, q3 - q1)}
          height={BOX}
          fill={row.live ? colors.liveBox : colors.box}
        />
        <path d={`M${median} ${top - 1}V${foot + 1}`} strokeWidth={2.5} />
      </g>
      {row.dots.map(({ key, value, repetition }) => (
        <circle
          key={key}
          cx={x.toPx(value)}
          cy={foot + 5 + ((repetition * 7) % 5)}
          r={key === selected ? 4 : 2.6}
          fill={key === selected ? colors.marked : colors.dot}
          fillOpacity={key === selected ? 1 : 0.55}
          cursor={onSelect ? 'pointer' : undefined}
          onClick={() => onSelect?.(key)}
        >
          <title>{`repetition ${repetition}: ${say(value)}`}</title>
        </circle>
      ))}
    </>
  );
}

interface PaperProps {
  readonly at: number;
  readonly middle: number;
  readonly text: string;
  readonly colors: BoxColors;
}

function Paper({ at, middle, text, colors }: PaperProps) {
  const top = middle - BOX / 2 - 6;
  return (
    <g fill={colors.marked}>
      <title>{`paper: ${text}`}</title>
      <path d={`M${at} ${top - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z`} />
      <text x={at + 8} y={top} dy="0.35em" fontSize={11} fontStyle="italic">
        paper {text}
      </text>
    </g>
  );
}
