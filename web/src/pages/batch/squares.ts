import type { RunState } from '../../ui/states';

/** How the squares of a row lie, in CSS pixels. */
export interface Lie {
  /** Side of a square. */
  readonly side: number;
  /** From one square's left to the next one's. */
  readonly step: number;
  readonly columns: number;
}

/** Beyond so many in a row squares are small. */
const MANY = 200;

/** How so many squares lie in so much room. */
export function lieOf(count: number, width: number): Lie {
  const [side, gap] = count > MANY ? [7, 2] : [13, 3];
  return { side, step: side + gap, columns: Math.max(1, Math.floor((width + gap) / (side + gap))) };
}

/** The height of so many squares. */
export function heightOf(count: number, { step, columns }: Lie): number {
  return Math.max(1, Math.ceil(count / columns)) * step;
}

/** The left upper corner of a square. */
export function cornerOf(i: number, { step, columns }: Lie): { readonly x: number; readonly y: number } {
  return { x: (i % columns) * step, y: Math.floor(i / columns) * step };
}

/** Which square is at a point; null between and beside them. */
export function squareAt(x: number, y: number, count: number, { step, columns }: Lie): number | null {
  const column = Math.floor(x / step);
  const i = Math.floor(y / step) * columns + column;
  return column >= 0 && column < columns && i >= 0 && i < count ? i : null;
}

/** The outline of a state's sign in a square of side 1: the states differ in shape, not in colour alone. */
const SIGNS: Record<RunState, (x: number, y: number, s: number) => string> = {
  done: (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}z`,
  running: (x, y, s) => `M${x} ${y}l${s} ${s / 2}l${-s} ${s / 2}z`,
  queued: (x, y, s) => ring(x, y, s, s / 6),
  invalid: (x, y, s) => `M${x + s / 2} ${y}l${s / 2} ${s}h${-s}z`,
  failed: (x, y, s) => {
    const w = s / 4;
    const far = s - 2 * w;
    return `M${x} ${y + w}l${w} ${-w}l${far / 2} ${far / 2}l${far / 2} ${-far / 2}l${w} ${w}l${-far / 2} ${far / 2}l${far / 2} ${far / 2}l${-w} ${w}l${-far / 2} ${-far / 2}l${-far / 2} ${far / 2}l${-w} ${-w}l${far / 2} ${-far / 2}z`;
  },
  cancelled: (x, y, s) => `M${x} ${y + s / 3}h${s}v${s / 3}h${-s}z`,
};

const ring = (x: number, y: number, s: number, w: number) =>
  `M${x} ${y}h${s}v${s}h${-s}zM${x + w} ${y + w}v${s - 2 * w}h${s - 2 * w}v${-(s - 2 * w)}z`;

/** The sign of a state in a square. */
export function signOf(state: RunState, x: number, y: number, side: number): string {
  return SIGNS[state](x, y, side);
}

/** One path for each state that there is: thousands of squares are drawn as six shapes. */
export function pathsOf(states: readonly RunState[], lie: Lie): readonly (readonly [RunState, string])[] {
  const paths = new Map<RunState, string[]>();
  states.forEach((state, i) => {
    const { x, y } = cornerOf(i, lie);
    const path = paths.get(state) ?? [];
    if (path.length === 0) paths.set(state, path);
    path.push(signOf(state, x, y, lie.side));
  });
  return [...paths].map(([state, path]) => [state, path.join('')]);
}
