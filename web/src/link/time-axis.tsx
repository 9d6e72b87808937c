import type { PointerEvent } from 'react';

import type { Ns } from '../lib/brand';
import type { LinearScale } from '../lib/scale';
import { timeTicks } from '../lib/ticks';
import type { Palette } from '../paint/palette';
import { GUTTER, marksFor, RIGHT } from './preview-figure';

interface Props {
  readonly times: LinearScale<Ns>;
  readonly width: number;
  readonly palette: Palette;
  /** How long the transfer takes at least. */
  readonly least: Ns | null;
  /** Someone takes the axis to pull it. */
  readonly onPan: (event: PointerEvent<SVGSVGElement>) => void;
}

const HEIGHT = 24;

/** The time axis above the lanes. It can be pulled; buttons do the same. */
export function TimeAxis({ times, width, palette, least, onPan }: Props) {
  const { marks, unit } = timeTicks(times.d0, times.d1, marksFor(width));
  return (
    <svg className="link-axis" width="100%" height={HEIGHT} onPointerDown={onPan} aria-hidden>
      <text x={GUTTER - 8} y={14} textAnchor="end" fontSize={11} fill={palette.muted}>
        {`Time (${unit})`}
      </text>
      {marks.map(({ value, label }) => {
        const x = times.toPx(value as Ns);
        return (
          <g key={value}>
            <line x1={x} x2={x} y1={HEIGHT - 5} y2={HEIGHT} stroke={palette.axis} />
            <text x={x} y={14} textAnchor="middle" fontSize={11} fill={palette.muted}>
              {label}
            </text>
          </g>
        );
      })}
      {least !== null && least > times.d0 && width > 0 && (
        <rect
          className="link-least"
          x={GUTTER}
          y={HEIGHT - 4}
          width={Math.max(0, times.toPx(Math.min(least, times.d1) as Ns) - GUTTER)}
          height={4}
          fill={palette.muted}
        />
      )}
      <line
        x1={GUTTER}
        x2={Math.max(GUTTER, width - RIGHT)}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
        stroke={palette.axis}
      />
    </svg>
  );
}
