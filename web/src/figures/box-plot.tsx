import { px } from '../lib/brand';
import { LinearScale } from '../lib/scale';
import { spreadInWords, type Spread } from '../lib/spread';
import { estimatedTextWidth } from '../paint/surface';
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
/** What names take at least, and the part of the width that they take at most: longer ones are broken in two. */
const NAMES = 120;
const NAMES_PART = 0.34;
const NAME_SIZE = 12;
const DETAIL_SIZE = 11;
const BESIDE_NAME = 14;
const LINE = 16;

/**
 * Distributions of one metric: median, quartiles, extremes, every run as a dot. All looks are in attributes, so that what
 * is saved as a file looks as it does here.
 */
export function BoxPlot(props: Props) {
  const { rows, title, domain, width, axisTitle, colors } = props;
  const narrow = width < NARROW;
  const left = narrow ? 8 : roomForNames(rows, width);
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
      fontSize={NAME_SIZE}
    >
      {boxTicks(domain[0], domain[1], Math.max(4, Math.round((width - left) / 100))).map(
        ({ value, text }) => (
          <g key={value}>
            <line x1={x.toPx(value)} x2={x.toPx(value)} y1={4} y2={bottom} stroke={colors.grid} />
            <text
              x={insideOf(x.toPx(value), roomFor(text, DETAIL_SIZE), width)}
              y={bottom + 15}
              textAnchor="middle"
              fontSize={DETAIL_SIZE}
              fill={colors.muted}
            >
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
              <Paper
                at={x.toPx(one.paper)}
                {...{ middle, width, colors }}
                text={`paper ${props.say(one.paper)}`}
              />
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
  const right = x - BESIDE_NAME;
  const lines = [
    ...broken(row.name, right - 2, NAME_SIZE).map((words) => ({ words, size: NAME_SIZE, fill: text })),
    ...(row.detail === '' ? [] : [{ words: row.detail, size: DETAIL_SIZE, fill: muted }]),
  ];
  const first = middle - ((lines.length - 1) * LINE) / 2;
  return lines.map(({ words, size, fill }, i) => (
    <text key={i} x={right} y={first + i * LINE} dy="0.35em" textAnchor="end" fontSize={size} fill={fill}>
      {words}
    </text>
  ));
}

/** The middle of a text at a place, moved so that none of it is cut off. */
function insideOf(middle: number, textWidth: number, width: number): number {
  return Math.min(Math.max(middle, textWidth / 2 + 1), width - textWidth / 2 - 1);
}

/** Room that a text surely has enough of: fonts differ. */
function roomFor(text: string, size: number): number {
  return 1.15 * estimatedTextWidth(text, size);
}

/** As much as the longest name needs, within bounds. */
function roomForNames(rows: readonly BoxRow[], width: number): number {
  const widths = rows.flatMap(({ name, detail }) => [roomFor(name, NAME_SIZE), roomFor(detail, DETAIL_SIZE)]);
  const wanted = Math.max(...widths) + BESIDE_NAME + 4;
  return Math.round(Math.min(Math.max(wanted, NAMES), Math.max(NAMES, NAMES_PART * width)));
}

/** A name in one line, or in two where it is wider than there is room. */
function broken(name: string, room: number, size: number): readonly string[] {
  if (name === '') return [];
  if (roomFor(name, size) <= room) return [name];
  const words = name.split(' ');
  // The break that makes the longer of both lines shortest.
  const breaks = words
    .slice(1)
    .map((_, i) => [words.slice(0, i + 1).join(' '), words.slice(i + 1).join(' ')]);
  const longest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length));
  return breaks.reduce((best, lines) => (longest(lines) < longest(best) ? lines : best), [name]);
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
  /** Of the whole plot. */
  readonly width: number;
  readonly text: string;
  readonly colors: BoxColors;
}

function Paper({ at, middle, width, text, colors }: PaperProps) {
  const left = at + 8 + roomFor(text, DETAIL_SIZE) > width;
  const top = middle - BOX / 2 - 6;
  return (
    <g fill={colors.marked}>
      <title>{text}</title>
      <path d={`M${at} ${top - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5Z`} />
      <text
        x={left ? at - 8 : at + 8}
        y={top}
        dy="0.35em"
        textAnchor={left ? 'end' : 'start'}
        fontSize={DETAIL_SIZE}
        fontStyle="italic"
      >
        {text}
      </text>
    </g>
  );
}
