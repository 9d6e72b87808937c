import { drawDetector, drawEventMarks } from './draw/events';
import { drawCwndLane, drawLinkLane, drawQueueLane, drawTimeAxis, drawTimerLane } from './draw/lanes';
import { drawLimitsLane } from './draw/limits';
import { drawDelayLane, drawRateLane } from './draw/settings';
import { drawPlot } from './draw/plot';
import type { Frame } from './frame';

/** Draws the whole diagram, from the back to the front. */
export function drawScene(frame: Frame): void {
  const { surface } = frame;
  const named = (name: string, draw: (frame: Frame) => void) => {
    surface.group(name, () => draw(frame));
  };
  drawPlot(frame);
  named('link', drawLinkLane);
  named('rate', drawRateLane);
  named('delay', drawDelayLane);
  named('queue', drawQueueLane);
  named('limits', drawLimitsLane);
  named('cwnd', drawCwndLane);
  named('timer', drawTimerLane);
  drawEventMarks(frame);
  named('detector', drawDetector);
  named('time-axis', drawTimeAxis);
}
