import { useCallback, useMemo } from 'react';
import type UPlot from 'uplot';

import { Plot, STEPPED, type Drawn } from '../../../figures/plot';
import { formatRate, formatTime } from '../../../lib/format';
import type { Figures } from './figures';

interface Props {
  readonly figures: Figures;
  /** What it shows, in a sentence for those who do not see it. */
  readonly label: string;
}

const HEIGHT = 190;
/** uPlot is given at most so many points: a screen has fewer columns. */
const MOST_POINTS = 4000;

/** A recording as it stands in its file: a rate over time, or the distribution of delays. */
export function RecordingChart({ figures, label }: Props) {
  const data = useMemo((): UPlot.AlignedData => {
    const { x, y } = thinned(figures);
    return [x, y];
  }, [figures]);
  const { kind } = figures;
  const drawn = useCallback<Drawn>(
    (palette, axis) => ({
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_, _least, greatest) => [0, greatest * 1.05] } },
      series: [
        {},
        {
          stroke: palette.setting,
          width: 1.5,
          points: { show: false },
          ...(STEPPED && { paths: STEPPED }),
        },
      ],
      axes: [
        { ...axis, label: kind === 'rate' ? 'Time (s)' : 'Delay (s)', labelSize: 20 },
        {
          ...axis,
          size: 84,
          values: (_, splits) =>
            splits.map((value) => (kind === 'rate' ? formatRate(value) : `${Math.round(value * 100)} %`)),
        },
      ],
    }),
    [kind],
  );
  return <Plot label={label} height={HEIGHT} drawn={drawn} data={data} />;
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
