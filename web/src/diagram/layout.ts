import type { Box } from '../paint/surface';
import { LANES, type LaneId } from './layers';

/** How tall the diagram is: on its own, or one of two that are compared. */
export type Density = 'full' | 'compact';

/** Where everything stands, in CSS pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The strip above the plot with the marks of timeouts. */
  readonly events: Box;
  readonly plot: Box;
  readonly lanes: ReadonlyMap<LaneId, Box>;
  /** The time axis, below everything. */
  readonly axis: Box;
  /** Whether there is room for axis titles and longer words. */
  readonly roomy: boolean;
}

const LANE_HEIGHTS: Readonly<Record<Density, Readonly<Record<LaneId, number>>>> = {
  full: { detector: 22, link: 40, rate: 52, delay: 46, queue: 52, limits: 24, cwnd: 84, timer: 84 },
  compact: { detector: 20, link: 34, rate: 42, delay: 38, queue: 42, limits: 22, cwnd: 64, timer: 64 },
};

const EVENTS_HEIGHT = 20;
const AXIS_HEIGHT = 38;
const LANE_GAP = 9;

/** Lays the parts out for a width; the plot's height follows the width within bounds. */
export function layOut(
  width: number,
  shown: (lane: LaneId) => boolean,
  density: Density,
  eventsHeight = EVENTS_HEIGHT,
): Layout {
  const roomy = width >= 560;
  const left = roomy ? 72 : 42;
  const right = roomy ? 14 : 8;
  const inner = Math.max(40, width - left - right);
  const [low, high] = density === 'full' ? [260, 430] : [200, 300];
  const plotHeight = Math.round(Math.min(high, Math.max(low, inner * 0.5)));

  let y = 2;
  const events = { x: left, y, w: inner, h: eventsHeight };
  y += eventsHeight;
  const plot = { x: left, y, w: inner, h: plotHeight };
  y += plotHeight;
  const lanes = new Map<LaneId, Box>();
  for (const lane of LANES) {
    if (!shown(lane)) continue;
    y += LANE_GAP;
    const h = LANE_HEIGHTS[density][lane];
    lanes.set(lane, { x: left, y, w: inner, h });
    y += h;
  }
  const axis = { x: left, y, w: inner, h: AXIS_HEIGHT };
  return { width, height: y + AXIS_HEIGHT, events, plot, lanes, axis, roomy };
}

/** Whether a point is in a box. */
export function inside(box: Box, x: number, y: number): boolean {
  return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
}
