import { useCallback, useMemo } from 'react';
import type UPlot from 'uplot';

import { DIRECTION_LINES } from '../paint/directions';
import { usePalette } from '../paint/use-palette';
import { Plot, type Drawn } from './plot';

interface Props {
  /** What it shows, in a sentence for those who do not see it. */
  readonly label: string;
  /** Seconds, ascending. */
  readonly at: readonly number[];
  /** To the client, and to the server; null where nothing is known. */
  readonly down: readonly (number | null)[];
  readonly up: readonly (number | null)[];
  readonly format: (value: number) => string;
}

const HEIGHT = 150;

/** A quantity of both directions over time. */
export function OverTime({ label, at, down, up, format }: Props) {
  const data = useMemo((): UPlot.AlignedData => [[...at], [...down], [...up]], [at, down, up]);
  const drawn = useCallback<Drawn>(
    (palette, axis) => {
      const line = { width: 1.5, points: { size: 4 }, spanGaps: false };
      return {
        cursor: { show: false },
        scales: {
          x: { time: false },
          y: { range: (_, _least, greatest) => [0, greatest > 0 ? greatest * 1.05 : 1] },
        },
        series: [
          {},
          { ...line, stroke: palette[DIRECTION_LINES.down.color] },
          { ...line, stroke: palette[DIRECTION_LINES.up.color], dash: [...DIRECTION_LINES.up.dash] },
        ],
        axes: [
          { ...axis, label: 'Time (s)', labelSize: 20 },
          { ...axis, size: 84, values: (_, splits) => splits.map(format) },
        ],
      };
    },
    [format],
  );
  return <Plot label={label} height={HEIGHT} drawn={drawn} data={data} />;
}

/** Which line is which, once for several of them. */
export function WaysLegend() {
  const palette = usePalette();
  const entry = (text: string, color: string, dash?: string) => (
    <span key={text} style={{ display: 'inline-flex', alignItems: 'center', gap: 6, marginRight: 16 }}>
      <svg width={22} height={8} aria-hidden>
        <line x1={0} x2={22} y1={4} y2={4} stroke={color} strokeWidth={2} strokeDasharray={dash} />
      </svg>
      {text}
    </span>
  );
  return (
    <div style={{ fontSize: 'var(--mantine-font-size-sm)' }}>
      {entry('down, to the client', palette[DIRECTION_LINES.down.color])}
      {entry('up, to the server', palette[DIRECTION_LINES.up.color], DIRECTION_LINES.up.dash.join(' '))}
    </div>
  );
}
