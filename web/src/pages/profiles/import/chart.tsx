import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { formatRate, formatTime } from '../../../lib/format';
import { DARK, LIGHT } from '../../../paint/palette';
import type { Figures } from './figures';

interface Props {
  readonly figures: Figures;
  /** What it shows, in a sentence for those who do not see it. */
  readonly label: string;
}

const HEIGHT = 190;
/** Below it there is no room for a plot beside its axis. */
const LEAST_WIDTH = 140;
const STEPPED = UPlot.paths.stepped?.({ align: 1 });
/** uPlot is given at most so many points: a screen has fewer columns. */
const MOST_POINTS = 4000;

/** A recording as it stands in its file: a rate over time, or the distribution of delays. */
export function RecordingChart({ figures, label }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<UPlot>(null);
  const { ref, width } = useElementSize();
  const dark = useComputedColorScheme('light') === 'dark';
  const data = useMemo(() => thinned(figures), [figures]);
  const { kind } = figures;
  useEffect(() => {
    if (host.current === null) return;
    const palette = dark ? DARK : LIGHT;
    const axis = { stroke: palette.muted, grid: { stroke: palette.grid }, ticks: { stroke: palette.axis } };
    const chart = new UPlot(
      {
        width: Math.max(LEAST_WIDTH, host.current.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_, _least, greatest) => [0, greatest * 1.05] } },
        series: [
          {},
          {
            stroke: palette.necessary,
            width: 1.5,
            points: { show: false },
            ...(STEPPED && { paths: STEPPED }),
          },
        ],
        axes: [
          {
            ...axis,
            label: kind === 'rate' ? 'Time (s)' : 'Delay (s)',
            labelSize: 20,
          },
          {
            ...axis,
            size: 84,
            values: (_, splits) =>
              splits.map((value) => (kind === 'rate' ? formatRate(value) : `${Math.round(value * 100)} %`)),
          },
        ],
      },
      [data.x, data.y],
      host.current,
    );
    shown.current = chart;
    return () => {
      shown.current = null;
      chart.destroy();
    };
  }, [data, kind, dark]);
  useEffect(() => {
    if (width >= LEAST_WIDTH) shown.current?.setSize({ width, height: HEIGHT });
  }, [width]);
  return (
    <div ref={ref}>
      <div ref={host} role="img" aria-label={label} style={{ minHeight: HEIGHT }} />
    </div>
  );
}

/** Where there are more points than columns, the least and the greatest of each run of points. */
function thinned({ x, y }: Figures): { x: number[]; y: number[] } {
  if (x.length <= MOST_POINTS) return { x: [...x], y: [...y] };
  const kept = { x: [] as number[], y: [] as number[] };
  const run = Math.ceil((2 * x.length) / MOST_POINTS);
  for (let start = 0; start < x.length; start += run) {
    const part = y.slice(start, start + run);
    const least = start + part.reduce((best, value, i) => (value < (part[best] ?? 0) ? i : best), 0);
    const greatest = start + part.reduce((best, value, i) => (value > (part[best] ?? 0) ? i : best), 0);
    for (const i of [...new Set([least, greatest])].sort((a, b) => a - b)) {
      kept.x.push(x[i] ?? 0);
      kept.y.push(y[i] ?? 0);
    }
  }
  return kept;
}

/** What a recording comes to, as pairs of a word and a value. */
export function figuresInWords(figures: Figures): readonly (readonly [string, string])[] {
  const { kind, count, durationS, mean, least, greatest, median } = figures;
  const seconds = (value: number) => formatTime(value * 1e9);
  if (kind === 'delay') {
    return [
      ['Samples', String(count)],
      ['Least', seconds(least)],
      ['Median', seconds(median ?? mean)],
      ['Mean', seconds(mean)],
      ['Greatest', seconds(greatest)],
    ];
  }
  return [
    ['Lines', String(count)],
    ['Duration', seconds(durationS ?? 0)],
    ['Least rate', formatRate(least)],
    ['Mean rate', formatRate(mean)],
    ['Greatest rate', formatRate(greatest)],
  ];
}
