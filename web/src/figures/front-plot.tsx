import { useCallback, useMemo } from 'react';
import type UPlot from 'uplot';

import type { Front } from '../lib/front';
import { Plot, STEPPED, type Drawn } from './plot';

interface Props {
  readonly front: Front;
  /** The value on the base link; `null` if it has none. */
  readonly base: number | null;
  /** Numbers of the links that findings were shrunk from. */
  readonly found: readonly number[];
  /** What the values are, with their unit. */
  readonly title: string;
  readonly format: (value: number) => string;
}

const HEIGHT = 280;

// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- its enum is a type alone
const LOGARITHMIC: UPlot.Scale = { distr: 3 };

/** Every link that was tried, by its turn and its value; the worst so far as a line, the base link as a dashed one. */
export function FrontPlot({ front, base, found, title, format }: Props) {
  const data = useMemo((): UPlot.AlignedData => {
    const shown = new Set(found);
    const { trials, values, worst } = front;
    return [
      [...trials],
      [...values],
      [...worst],
      trials.map(() => base),
      trials.map((trial, i) => (shown.has(trial) ? values[i] : null)),
    ];
  }, [front, base, found]);
  const { wide } = front;
  const drawn = useCallback<Drawn>(
    (palette, axis) => ({
      cursor: { show: false },
      scales: { x: { time: false }, y: wide ? LOGARITHMIC : {} },
      series: [
        {},
        { paths: () => null, points: { show: true, size: 4, stroke: palette.down, fill: palette.down } },
        { stroke: palette.text, width: 1.5, points: { show: false }, ...(STEPPED && { paths: STEPPED }) },
        { stroke: palette.muted, width: 1, dash: [4, 4], points: { show: false } },
        {
          paths: () => null,
          points: { show: true, size: 11, width: 2, stroke: palette.unnecessary, fill: 'transparent' },
        },
      ],
      axes: [
        { ...axis, label: 'Links in the order in which they were tried', labelSize: 20 },
        { ...axis, label: title, labelSize: 20, size: 70, values: (_, splits) => splits.map(format) },
      ],
    }),
    [wide, title, format],
  );
  return (
    <Plot
      label={`${title} of each link that was tried, and the worst so far`}
      height={HEIGHT}
      drawn={drawn}
      data={data}
    />
  );
}
