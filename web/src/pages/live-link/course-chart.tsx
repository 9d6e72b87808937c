import { Group, Text } from '@mantine/core';
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';

import type { Direction } from '../../api/client';
import { Plot, STEPPED, type Drawn } from '../../figures/plot';
import { DIRECTION_LINES } from '../../paint/directions';
import type { Palette } from '../../paint/palette';
import { clockTime } from '../../ui/time';
import { rangeOf, type Columns, type History, type Measure } from './history';

/** A line of a chart. */
export interface Line {
  readonly way: Direction;
  readonly measure: Measure;
  /** As in the words beside the pointer. */
  readonly name: string;
  readonly dashed?: boolean;
}

interface Props {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly history: History;
  readonly columns: Columns;
  /** What it shows last, in a sentence for those who do not see it. */
  readonly label: string;
  readonly inWords: (value: number) => string;
  /** Whether values hold from one sample to the next, as settings do. */
  readonly stepped?: boolean;
  /** The least height of the axis: smaller values are no mountains. */
  readonly least: number;
}

const HEIGHT = 150;
const AXIS_WIDTH = 78;
/** The charts of the page share the pointer. */
const TOGETHER = UPlot.sync('live-link');

/** What each direction is drawn in. */
export const colorOf = (palette: Palette, way: Direction) => palette[DIRECTION_LINES[way].color];

/** One quantity over the last minutes, both directions, with what was done to the link marked on the time axis. */
export function CourseChart(props: Props) {
  const { title, lines, history, columns, label, inWords, stepped = false, least } = props;
  const readout = useRef<HTMLParagraphElement>(null);
  const latest = useRef({ history, inWords, lines });
  // Before the plot's own effect, which draws new data.
  useLayoutEffect(() => {
    latest.current = { history, inWords, lines };
  });
  const data = useMemo(() => dataOf(columns, lines), [columns, lines]);
  const drawn = useCallback<Drawn>(
    (palette, axis) => ({
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 }, sync: { key: TOGETHER.key } },
      scales: {
        x: { time: true, range: () => [...rangeOf(latest.current.history)] },
        y: { range: (_, _least, greatest) => [0, 1.08 * Math.max(least, greatest)] },
      },
      series: [
        {},
        ...lines.map(({ way, dashed = false }) => ({
          stroke: colorOf(palette, way),
          width: dashed ? 1 : 1.5,
          points: { show: false },
          ...(dashed && { dash: [5, 4] }),
          ...((stepped || dashed) && STEPPED && { paths: STEPPED }),
        })),
      ],
      axes: [
        { ...axis, space: 70, values: (_, splits) => splits.map(clock) },
        {
          ...axis,
          size: AXIS_WIDTH,
          space: 34,
          values: (_, splits) => splits.map((value) => latest.current.inWords(value)),
        },
      ],
      hooks: {
        // Bands lie below the lines; where another link began is seen above the grid.
        drawClear: [(plot) => drawChanges(plot, latest.current.history, palette)],
        draw: [(plot) => drawLinks(plot, latest.current.history, palette)],
        setCursor: [
          (plot) => {
            if (readout.current) readout.current.textContent = pointed(plot, latest.current);
          },
        ],
      },
    }),
    [lines, least, stepped],
  );
  return (
    <div className="course">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text ref={readout} size="xs" c="dimmed" className="readout" aria-hidden />
      </Group>
      <Plot label={label} height={HEIGHT} drawn={drawn} data={data} />
    </div>
  );
}

const dataOf = ({ t, down, up }: Columns, lines: readonly Line[]): UPlot.AlignedData => [
  t,
  ...lines.map(({ way, measure }) => (way === 'down' ? down : up)[measure]),
];

/** The time of day of a moment, s since 1970. */
const clock = (at: number) => clockTime(at * 1000);

/** What the lines are where the pointer is. */
function pointed(plot: UPlot, { lines, inWords }: Pick<Props, 'lines' | 'inWords'>): string {
  const { idx } = plot.cursor;
  if (idx === null || idx === undefined) return '';
  const at = plot.data[0][idx];
  const values = lines.flatMap(({ name }, i) => {
    const value = plot.data[i + 1][idx] ?? null;
    return value === null ? [] : [`${name} ${inWords(value)}`];
  });
  return values.length === 0 ? '' : `${clock(at)}: ${values.join(', ')}`;
}

/** Bands while changes by hand were in force. */
function drawChanges(plot: UPlot, { changes }: History, palette: Palette): void {
  const { ctx, bbox } = plot;
  const { min: from = 0, max: to = 0 } = plot.scales['x'];
  const place = (ms: number) => plot.valToPos(Math.min(to, Math.max(from, ms / 1000)), 'x', true);
  ctx.save();
  ctx.fillStyle = palette.hold;
  for (const { from_ms, to_ms } of changes) {
    if (to_ms !== null && to_ms / 1000 < from) continue;
    const [left, right] = [place(from_ms), place(to_ms ?? to * 1000)];
    ctx.globalAlpha = 0.28;
    ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, Math.max(1, devicePixelRatio), bbox.height);
  }
  ctx.restore();
}

/** A line where another link began. */
function drawLinks(plot: UPlot, { links }: History, palette: Palette): void {
  const { ctx, bbox } = plot;
  const { min: from = 0 } = plot.scales['x'];
  ctx.save();
  ctx.strokeStyle = palette.text;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 2 * devicePixelRatio]);
  for (const { at_ms } of links) {
    if (at_ms / 1000 < from) continue;
    const at = plot.valToPos(at_ms / 1000, 'x', true);
    ctx.beginPath();
    ctx.moveTo(at, bbox.top);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
