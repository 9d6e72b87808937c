import { px, type Ns } from '../../lib/brand';
import { LinearScale } from '../../lib/scale';
import { lowerBound, stepRange, upperBound } from '../../lib/search';
import { countTicks, octetTicks, timeTicks, type Ticks } from '../../lib/ticks';
import type { Box } from '../../paint/surface';
import type { BandColumns, Tables } from '../../series/types';
import { timeMarks, timeTitle, type Frame } from '../frame';
import { drawAxisBelow } from './axes';
import { bandLabel } from './events';
import { traceSteps } from './steps';

/** One entry of a lane's key: a stroke or a filled patch, and its word. */
export interface Key {
  readonly word: string;
  readonly color: string;
  readonly kind: 'line' | 'dashed' | 'patch';
}

/** The back of every lane, its title to the left or inside, and its key. */
export function drawLane(frame: Frame, box: Box, title: string, keys: readonly Key[]): void {
  const { surface, palette, layout, coords } = frame;
  coords.clear();
  coords.push4(box.x, box.y + box.h, box.x + box.w, box.y + box.h);
  surface.lines(coords, { color: palette.axis, width: 1, crisp: true });
  const { roomy } = layout;
  if (roomy) {
    surface.text(12, box.y + box.h / 2, title, {
      color: palette.text,
      size: 11.5,
      align: 'middle',
      upright: true,
    });
  }
  if (keys.length === 0) return;
  let at = box.x + 6;
  const y = box.y + 5;
  const style = { color: palette.muted, size: 10.5, halo: palette.background } as const;
  for (const key of keys) {
    coords.clear();
    if (key.kind === 'patch') {
      coords.push4(at, y - 4, 12, 8);
      surface.rects(coords, { color: key.color, alpha: 0.4 });
    } else {
      coords.push4(at, y, at + 14, y);
      surface.lines(coords, { color: palette.background, width: 4 });
      surface.lines(coords, {
        color: key.color,
        width: 1.6,
        ...(key.kind === 'dashed' ? { dash: [3, 2] } : {}),
      });
    }
    surface.text(at + 18, y, key.word, style);
    at += 28 + surface.textWidth(key.word, 10.5);
  }
}

/** The lines and words of a lane's scale. */
export function drawScale(frame: Frame, box: Box, y: LinearScale<number>, ticks: Ticks): void {
  const { surface, palette, coords } = frame;
  coords.clear();
  for (const { value } of ticks.marks) {
    const at = y.toPx(value);
    if (value > 0) coords.push4(box.x, at, box.x + box.w, at);
  }
  surface.lines(coords, { color: palette.grid, width: 1, crisp: true });
  for (const { value, label } of ticks.marks) {
    const at = y.toPx(value);
    const last = value === ticks.marks.at(-1)?.value;
    const text = last && ticks.unit !== '' ? `${label} ${ticks.unit}` : label;
    surface.text(box.x - 7, Math.max(box.y + 5, at), text, {
      color: palette.muted,
      size: 10.5,
      align: 'end',
    });
  }
}

/** The values of a lane: zero at its foot, the greatest one a little below its head. */
export function laneScale(box: Box, greatest: number, head = 15): LinearScale<number> {
  return new LinearScale(0, greatest > 0 ? greatest : 1, px(box.y + box.h), px(box.y + head));
}

/** Link state: one row per direction with holds, outages and bad states as bands, drops as ticks. */
export function drawLinkLane(frame: Frame): void {
  const { surface, layout, palette, index, coords } = frame;
  const box = layout.lanes.get('link');
  if (!box) return;
  const { link } = index.series;
  drawLane(frame, box, 'Link', []);
  const height = box.h / 2;
  for (const direction of [0, 1]) {
    const row = { x: box.x, y: box.y + direction * height, w: box.w, h: height };
    const name = direction === 0 ? 'down' : 'up';
    surface.text(box.x - 7, row.y + height / 2, name, { color: palette.muted, size: 10.5, align: 'end' });
    surface.clip(row, () => {
      drawBands(frame, row, direction, link.bad, 'bad', palette.bad, 0.45);
      drawBands(frame, row, direction, link.holds, 'hold', palette.hold, 0.55);
      drawBands(frame, row, direction, link.outages, 'outage', palette.outage, 0.55);
      drawTicks(frame, link.drops, direction, row.y + 4, row.y + height - 3, palette.drop);
      // A short tick at the foot for each packet that the queue marked.
      drawTicks(frame, link.marks, direction, row.y + height / 2 + 1, row.y + height - 3, palette.queue);
    });
  }
  coords.clear();
  coords.push4(box.x, box.y + height, box.x + box.w, box.y + height);
  surface.lines(coords, { color: palette.grid, width: 1, crisp: true });
}

/** A tick for each event of a direction; ticks on one pixel are one tick. */
function drawTicks(
  { surface, coords, x, view }: Frame,
  of: Tables['link']['marks'],
  direction: number,
  top: number,
  bottom: number,
  color: string,
): void {
  coords.clear();
  let last = NaN;
  for (let i = lowerBound(of.t, view.t0); i < upperBound(of.t, view.t1); i++) {
    if (of.direction[i] !== direction) continue;
    const at = x.toPx(of.t[i] as Ns);
    if (Math.round(at) === last) continue;
    last = Math.round(at);
    coords.push4(at, top, at, bottom);
  }
  surface.lines(coords, { color, width: 1.4, crisp: true });
}

function drawBands(
  frame: Frame,
  row: Box,
  direction: number,
  of: BandColumns,
  kind: string,
  color: string,
  alpha: number,
): void {
  const { surface, palette, coords, x, view } = frame;
  coords.clear();
  const labels: [number, string][] = [];
  for (let i = 0; i < of.length; i++) {
    if (of.direction[i] !== direction || of.to[i] < view.t0 || of.from[i] > view.t1) continue;
    const left = Math.max(row.x, x.toPx(of.from[i] as Ns));
    const right = Math.min(row.x + row.w, x.toPx(of.to[i] as Ns));
    coords.push4(left, row.y + 2, Math.max(1, right - left), row.h - 3);
    const label = bandLabel(kind, of.to[i] - of.from[i], right - left, (text) => surface.textWidth(text, 10));
    if (label !== '') labels.push([(left + right) / 2, label]);
  }
  surface.rects(coords, { color, alpha });
  for (const [at, label] of labels) {
    surface.text(at, row.y + row.h / 2 + 0.5, label, {
      color: palette.text,
      size: 10,
      align: 'middle',
      halo: palette.background,
    });
  }
}

/** Queue occupancy: the way of the data as an area, the other way as a line. */
export function drawQueueLane(frame: Frame): void {
  const { surface, layout, palette, index, view } = frame;
  const box = layout.lanes.get('queue');
  if (!box) return;
  const { link, dataDirection, duration } = index.series;
  const { down, up } = link.queue;
  const [forward, reverse] = dataDirection === 0 ? [down, up] : [up, down];
  const greatest = Math.max(
    1,
    ...[forward, reverse].map((q) => index.pyramid(q.packets).max(...stepRange(q.t, view.t0, view.t1))),
  );
  const y = laneScale(box, greatest);
  drawScale(frame, box, y, countTicks(0, greatest, 2, ''));
  const steps = ({ t, packets }: typeof down) => traceSteps(frame, t, packets, y, duration);
  surface.clip(box, () => {
    surface.stepArea(steps(forward), box.y + box.h, { color: palette.queue, alpha: 0.4 });
    surface.steps(steps(forward), { color: palette.queue, width: 1 });
    surface.steps(steps(reverse), { color: palette.muted, width: 1, dash: [3, 2] });
  });
  const forwardName = dataDirection === 0 ? 'down' : 'up';
  const keys: Key[] = [{ word: `${forwardName}, packets`, color: palette.queue, kind: 'patch' }];
  if (reverse.length > 0 && index.pyramid(reverse.packets).max(0, reverse.length) > 0) {
    keys.push({ word: dataDirection === 0 ? 'up' : 'down', color: palette.muted, kind: 'dashed' });
  }
  drawLane(frame, box, 'Queue', keys);
}

/** Congestion window, slow start threshold and what is in flight. */
export function drawCwndLane(frame: Frame): void {
  const { surface, layout, palette, index, view, unit } = frame;
  const box = layout.lanes.get('cwnd');
  if (!box) return;
  const { state, duration } = index.series;
  const range = stepRange(state.t, view.t0, view.t1);
  const top = (column: Float64Array) => index.pyramid(column).max(...range);
  const windows = Math.max(index.segmentSize, top(state.cwnd), top(state.flight));
  // A threshold that is still far off must not flatten the rest.
  const threshold = top(state.ssthresh);
  const greatest = threshold <= 1.6 * windows ? Math.max(windows, threshold) : windows;
  const y = laneScale(box, greatest);
  if (unit === 'segments') {
    const per = index.segmentSize;
    const ticks = countTicks(0, greatest / per, 3, '');
    const marks = ticks.marks.map((mark) => ({ ...mark, value: mark.value * per }));
    drawScale(frame, box, y, { unit: 'seg', marks });
  } else {
    drawScale(frame, box, y, octetTicks(0, greatest, 3));
  }
  const steps = (column: Float64Array) => traceSteps(frame, state.t, column, y, duration);
  surface.clip(box, () => {
    surface.stepArea(steps(state.flight), box.y + box.h, { color: palette.axis, alpha: 0.3 });
    surface.steps(steps(state.ssthresh), { color: palette.sack, width: 1.4, dash: [4, 2.5] });
    surface.steps(steps(state.cwnd), { color: palette.segment, width: 1.4 });
  });
  drawLane(frame, box, 'Window', [
    { word: 'cwnd', color: palette.segment, kind: 'line' },
    { word: 'ssthresh', color: palette.sack, kind: 'dashed' },
    { word: 'in flight', color: palette.axis, kind: 'patch' },
  ]);
}

/** The retransmission timer and what it is made of. */
export function drawTimerLane(frame: Frame): void {
  const { surface, layout, palette, index, view } = frame;
  const box = layout.lanes.get('timer');
  if (!box) return;
  const { state, duration } = index.series;
  const range = stepRange(state.t, view.t0, view.t1);
  const greatest = Math.max(1e6, index.pyramid(state.rto).max(...range));
  const y = laneScale(box, greatest);
  drawScale(frame, box, y, timeTicks(0, greatest, 3));
  const steps = (column: Float64Array) => traceSteps(frame, state.t, column, y, duration);
  surface.clip(box, () => {
    surface.stepArea(steps(state.rttvar), box.y + box.h, { color: palette.ack, alpha: 0.22 });
    surface.steps(steps(state.srtt), { color: palette.ack, width: 1.4 });
    surface.steps(steps(state.rto), { color: palette.segment, width: 1.4 });
  });
  drawLane(frame, box, 'Timer', [
    { word: 'RTO', color: palette.segment, kind: 'line' },
    { word: 'SRTT', color: palette.ack, kind: 'line' },
    { word: 'RTTVAR', color: palette.ack, kind: 'patch' },
  ]);
}

/** The time axis below everything. */
export function drawTimeAxis(frame: Frame): void {
  const { unit, marks } = timeMarks(frame);
  const times = marks.map(({ value, label }) => ({ at: frame.x.toPx(value as Ns), label }));
  drawAxisBelow(frame, times, timeTitle(frame.origin, unit));
}
