import { px } from '../../lib/brand';
import { LinearScale } from '../../lib/scale';
import type { Schema } from '../../api/client';
import { changeInWords, intervalInWords } from './finding-words';
import { LOOKS } from './verdict-mark';

interface Props {
  readonly finding: Schema<'Finding'>;
  /** The greatest change that any of the intervals beside each other reaches, as a share of 1. */
  readonly reach: number;
  /** What counts as no change. */
  readonly margin: number;
}

const [WIDTH, HEIGHT] = [120, 22];

/** The change with its interval about the line of no change; the grey band is what counts as none. */
export function Interval({ finding, reach, margin }: Props) {
  const { ratio, verdict } = finding;
  if (ratio === null) return null;
  const x = new LinearScale(1 - reach, 1 + reach, px(4), px(WIDTH - 4));
  const clamp = (value: number) => x.toPx(Math.min(1 + reach, Math.max(1 - reach, value)));
  const { color, broken } = LOOKS[verdict];
  const interval = intervalInWords(ratio);
  const middle = HEIGHT / 2;
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`${changeInWords(ratio.value)}${interval === null ? ', no interval' : `, interval ${interval}`}`}
    >
      <rect
        x={clamp(1 - margin)}
        width={Math.max(1, clamp(1 + margin) - clamp(1 - margin))}
        y={2}
        height={HEIGHT - 4}
        fill="var(--line)"
      />
      <line x1={x.toPx(1)} x2={x.toPx(1)} y1={0} y2={HEIGHT} stroke="var(--muted)" />
      {ratio.low !== null && ratio.high !== null && (
        <line
          x1={clamp(ratio.low)}
          x2={clamp(ratio.high)}
          y1={middle}
          y2={middle}
          stroke={color}
          strokeWidth={2}
          strokeDasharray={broken ? '3 3' : undefined}
        />
      )}
      <circle
        cx={clamp(ratio.value)}
        cy={middle}
        r={4}
        fill={broken ? 'var(--mantine-color-body)' : color}
        stroke={color}
        strokeWidth={1.5}
      />
    </svg>
  );
}

/** The greatest change among findings, at most everything. */
export function reachOf(findings: readonly Schema<'Finding'>[]): number {
  const ends = findings.flatMap(({ ratio }) => [ratio?.value, ratio?.low, ratio?.high]);
  return Math.min(1, Math.max(0.05, ...ends.map((end) => (typeof end === 'number' ? Math.abs(end - 1) : 0))));
}
