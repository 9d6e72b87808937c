import { stepRange } from '../../lib/search';
import { rateTicks, timeTicks, type Ticks } from '../../lib/ticks';
import { DIRECTION_LINES } from '../../paint/directions';
import type { Steps } from '../../series/run-index';
import type { Frame } from '../frame';
import type { LaneId } from '../layers';
import { drawLane, drawScale, laneScale } from './lanes';
import { traceSteps } from './steps';

/** The link's rate where it changes: a step line for each direction, however many steps there are. */
export function drawRateLane(frame: Frame): void {
  drawSettingLane(frame, 'rate', 'Rate', frame.index.rates, rateTicks);
}

/** The link's propagation delay where it changes. */
export function drawDelayLane(frame: Frame): void {
  drawSettingLane(frame, 'delay', 'Delay', frame.index.delays, timeTicks);
}

function drawSettingLane(
  frame: Frame,
  lane: LaneId,
  title: string,
  directions: readonly [Steps, Steps],
  ticks: (lo: number, hi: number, count: number) => Ticks,
): void {
  const { surface, layout, palette, index, view } = frame;
  const box = layout.lanes.get(lane);
  if (!box) return;
  const shown = directions
    .map((steps, direction) => ({ steps, name: direction === 0 ? ('down' as const) : ('up' as const) }))
    .filter(({ steps }) => steps.t.length > 0);
  const greatest = Math.max(
    1,
    ...shown.map(({ steps }) => index.pyramid(steps.values).max(...stepRange(steps.t, view.t0, view.t1))),
  );
  const y = laneScale(box, greatest);
  drawScale(frame, box, y, ticks(0, greatest, 2));
  surface.clip(box, () => {
    for (const { steps, name } of shown) {
      const { color, dash } = DIRECTION_LINES[name];
      surface.steps(traceSteps(frame, steps.t, steps.values, y, index.series.duration), {
        color: palette[color],
        width: 1.4,
        ...(dash.length > 0 && { dash }),
      });
    }
  });
  drawLane(
    frame,
    box,
    title,
    shown.map(({ name }) => ({
      word: name,
      color: palette[DIRECTION_LINES[name].color],
      kind: name === 'down' ? 'line' : 'dashed',
    })),
  );
}
