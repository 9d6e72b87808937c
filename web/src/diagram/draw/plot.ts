import type { Ns, Octets } from '../../lib/brand';
import { lowerBound, upperBound } from '../../lib/search';
import { countTicks, octetTicks } from '../../lib/ticks';
import type { Fill, Stroke } from '../../paint/surface';
import { RunIndex, type Subset } from '../../series/run-index';
import { Verdict, type BandColumns } from '../../series/types';
import { congestionIn } from '../../series/words';
import { timeMarks, type Frame } from '../frame';
import { drawGridLines } from './axes';
import { drawEventLines } from './events';
import { traceSteps } from './steps';

/** Arrow heads are drawn from this height of a bar on, in CSS pixels. */
const ARROW_FROM = 9;
/** The least height of a bar, so that a segment never vanishes. */
const LEAST_BAR = 1.6;

/** The plot: everything with a sequence number. */
export function drawPlot(frame: Frame): void {
  const { surface, layout } = frame;
  surface.group('grid', () => drawGrid(frame));
  drawShading(frame);
  drawHighlight(frame);
  drawEventLines(frame);
  surface.clip(layout.plot, () => {
    if (frame.shows('window')) layer(frame, 'window', drawWindow);
    if (frame.shows('acks')) layer(frame, 'acks', drawAcks);
    if (frame.shows('sacks')) layer(frame, 'sacks', drawSacks);
    if (frame.shows('arrivals')) layer(frame, 'arrivals', drawArrivals);
    if (frame.shows('segments')) layer(frame, 'segments', drawOriginals);
    if (frame.shows('unknown')) layer(frame, 'unknown', drawUnknown);
    if (frame.shows('necessary')) layer(frame, 'necessary', drawNecessary);
    if (frame.shows('unnecessary')) layer(frame, 'unnecessary', drawUnnecessary);
    if (frame.shows('drops')) layer(frame, 'drops', drawDrops);
  });
}

function layer(frame: Frame, name: string, draw: (frame: Frame) => void): void {
  frame.surface.group(name, () => draw(frame));
}

function drawGrid(frame: Frame): void {
  const { layout, x, y, index } = frame;
  const inSegments = frame.unit === 'segments';
  const per = inSegments ? index.segmentSize : 1;
  const count = Math.max(3, Math.round(layout.plot.h / 62));
  const ticks = inSegments
    ? countTicks(y.d0 / per, y.d1 / per, count, 'segments')
    : octetTicks(y.d0, y.d1, count);
  const times = timeMarks(frame).marks.map(({ value, label }) => ({ at: x.toPx(value as Ns), label }));
  const heights = ticks.marks
    .filter(({ value }) => value >= 0)
    .map(({ value, label }) => ({ at: y.toPx((value * per) as Octets), label }));
  drawGridLines(frame, times, heights, `Sequence number (${ticks.unit})`);
}

/** Stretches in which the link held or lost packets, as a tint behind everything; fainter where it was the ACKs' way. */
function drawShading(frame: Frame): void {
  const { series } = frame.index;
  const { palette } = frame;
  if (!frame.shows('link')) return;
  const { dataDirection: forward } = series;
  frame.surface.group('link-state', () => {
    for (const direction of [forward, 1 - forward]) {
      const strength = direction === forward ? 1 : 0.45;
      bands(frame, series.link.bad, direction, { color: palette.bad, alpha: 0.12 * strength });
      bands(frame, series.link.holds, direction, { color: palette.hold, alpha: 0.17 * strength });
      bands(frame, series.link.outages, direction, { color: palette.outage, alpha: 0.2 * strength });
    }
  });
}

/** The stretch that is framed, behind everything that moves. */
function drawHighlight(frame: Frame): void {
  const { surface, palette, coords, x, layout, highlight } = frame;
  if (!highlight) return;
  const { plot, axis, events } = layout;
  const left = Math.max(plot.x, x.toPx(highlight.from));
  const right = Math.min(plot.x + plot.w, x.toPx(highlight.to));
  if (right < left) return;
  surface.group('highlight', () => {
    coords.clear().push4(left, events.y + 1, Math.max(1, right - left), axis.y - events.y - 1);
    surface.rects(coords, { color: palette.selection, alpha: 0.06 });
    coords.clear().push4(left, events.y + 1, left, axis.y);
    coords.push4(right, events.y + 1, right, axis.y);
    coords.push4(left, events.y + 1, right, events.y + 1);
    surface.lines(coords, { color: palette.selection, width: 1.5, crisp: true });
  });
}

function bands(frame: Frame, of: BandColumns, direction: number, fill: Fill): void {
  const { surface, coords, x, layout, view } = frame;
  const { plot, axis } = layout;
  coords.clear();
  for (let i = 0; i < of.length; i++) {
    if (of.direction[i] !== direction || of.to[i] < view.t0 || of.from[i] > view.t1) continue;
    const left = Math.max(plot.x, x.toPx(of.from[i] as Ns));
    const right = Math.min(plot.x + plot.w, x.toPx(of.to[i] as Ns));
    coords.push4(left, plot.y, Math.max(0.75, right - left), axis.y - plot.y);
  }
  surface.rects(coords, fill);
}

function drawWindow(frame: Frame): void {
  const { acks, duration } = frame.index.series;
  const line = traceSteps(frame, acks.t, acks.edge, frame.y, duration);
  frame.surface.steps(line, { color: frame.palette.window, width: 1.25 });
}

function drawAcks(frame: Frame): void {
  const { surface, palette, x, y, coords, view, index, layout } = frame;
  const { acks, duration } = index.series;
  const line = traceSteps(frame, acks.t, acks.ack, y, duration);
  surface.steps(line, { color: palette.ack, width: 1.4 });
  // A tick for each duplicate, as tcptrace draws them.
  const from = lowerBound(acks.t, view.t0);
  const to = upperBound(acks.t, view.t1);
  if (to - from > 2 * layout.plot.w) return;
  coords.clear();
  for (let i = from; i < to; i++) {
    if (acks.dup[i] !== 1) continue;
    const at = x.toPx(acks.t[i] as Ns);
    const height = y.toPx(acks.ack[i] as Octets);
    coords.push4(at, height, at, height - 4);
  }
  surface.lines(coords, { color: palette.ack, width: 1.2 });
}

function drawSacks(frame: Frame): void {
  const { surface, palette, index } = frame;
  const { sacks } = index.series;
  for (const dsack of [0, 1]) {
    const { coords, x, y, view, layout } = frame;
    coords.clear();
    const from = lowerBound(sacks.t, view.t0);
    const to = upperBound(sacks.t, view.t1);
    const dense = to - from > 4 * layout.plot.w;
    let lastX = -1;
    let lastTop = 0;
    for (let i = from; i < to; i++) {
      if (sacks.dsack[i] !== dsack) continue;
      const at = x.toPx(sacks.t[i] as Ns);
      const top = y.toPx(sacks.right[i] as Octets);
      if (dense && Math.floor(at) === lastX && Math.abs(top - lastTop) < 1) continue;
      lastX = Math.floor(at);
      lastTop = top;
      const bottom = Math.max(top + LEAST_BAR, y.toPx(sacks.left[i] as Octets));
      coords.push4(at, bottom, at, top);
      if (dsack === 1) {
        coords.push4(at - 2.5, top, at + 2.5, top);
        coords.push4(at - 2.5, bottom, at + 2.5, bottom);
      }
    }
    const color = dsack === 1 ? palette.dsack : palette.sack;
    surface.lines(coords, { color, width: dsack === 1 ? 1.6 : 1.2, alpha: dsack === 1 ? 1 : 0.75 });
  }
}

/** Originals ascend in time and offset, so a pixel column is one bar from its first to its last segment. */
function drawOriginals(frame: Frame): void {
  const { surface, palette, index, x, y, coords, view, layout } = frame;
  const { data } = index.series;
  const originals = index.byVerdict[Verdict.Original];
  const [from, to] = RunIndex.within(originals, view.t0, view.t1);
  coords.clear();
  const columns = Math.ceil(layout.plot.w);
  if (to - from > 4 * columns) {
    let start = from;
    for (let column = 0; column < columns && start < to; column++) {
      const until = x.fromPx((x.r0 + column + 1) as never);
      const stop = lowerBound(originals.t, until, start, to);
      if (stop <= start) continue;
      const first = originals.rows[start];
      const last = originals.rows[stop - 1];
      const bottom = y.toPx(data.seq[first] as Octets);
      const top = y.toPx((data.seq[last] + data.len[last]) as Octets);
      coords.push4(x.r0 + column + 0.5, bottom, x.r0 + column + 0.5, Math.min(top, bottom - LEAST_BAR));
      start = stop;
    }
  } else {
    bars(frame, originals, from, to, true);
  }
  surface.lines(coords, { color: palette.segment, width: 1.3 });
}

/** Adds a bar for each row, with arrow heads at both ends where they are wanted and have room. */
function bars(frame: Frame, of: Subset, from: number, to: number, arrows: boolean): void {
  const { coords, x, y, index, layout } = frame;
  const { data } = index.series;
  const arrow = Math.min(2.6, layout.plot.w / Math.max(1, to - from) / 2.5);
  for (let k = from; k < to; k++) {
    const row = of.rows[k];
    const at = x.toPx(of.t[k] as Ns);
    const bottom = y.toPx(data.seq[row] as Octets);
    const top = Math.min(bottom - LEAST_BAR, y.toPx((data.seq[row] + data.len[row]) as Octets));
    coords.push4(at, bottom, at, top);
    if (!arrows || bottom - top < ARROW_FROM || arrow < 1) continue;
    coords.push4(at - arrow, top + arrow, at, top);
    coords.push4(at + arrow, top + arrow, at, top);
    coords.push4(at - arrow, bottom - arrow, at, bottom);
    coords.push4(at + arrow, bottom - arrow, at, bottom);
  }
}

/** Retransmissions are few and matter: a bar and a mark of constant size. Filled: necessary; open: unnecessary. */
function drawRetransmissions(
  frame: Frame,
  verdict: Verdict,
  color: string,
  mark: (coordsLeft: number) => { fill: Fill | null; stroke: Stroke | null; radius: number },
): void {
  const { surface, index, x, y, coords, view } = frame;
  const { data } = index.series;
  const rows = index.byVerdict[verdict];
  const [from, to] = RunIndex.within(rows, view.t0, view.t1);
  coords.clear();
  bars(frame, rows, from, to, false);
  surface.lines(coords, { color, width: 2 });
  coords.clear();
  let lastX = NaN;
  let lastY = NaN;
  for (let k = from; k < to; k++) {
    const row = rows.rows[k];
    const at = x.toPx(rows.t[k] as Ns);
    const middle = y.toPx((data.seq[row] + data.len[row] / 2) as Octets);
    // Marks on the same pixel are one mark.
    if (Math.abs(at - lastX) < 0.7 && Math.abs(middle - lastY) < 0.7) continue;
    lastX = at;
    lastY = middle;
    coords.push2(at, middle);
  }
  const { fill, stroke, radius } = mark(to - from);
  surface.circles(coords, radius, fill, stroke);
}

function drawNecessary(frame: Frame): void {
  const color = frame.palette.necessary;
  drawRetransmissions(frame, Verdict.Necessary, color, () => ({
    fill: { color },
    stroke: null,
    radius: 2.6,
  }));
}

function drawUnnecessary(frame: Frame): void {
  const color = frame.palette.unnecessary;
  drawRetransmissions(frame, Verdict.Unnecessary, color, () => ({
    fill: { color: frame.palette.background },
    stroke: { color, width: 1.5 },
    radius: 2.6,
  }));
}

function drawUnknown(frame: Frame): void {
  const color = frame.palette.unknown;
  drawRetransmissions(frame, Verdict.Unknown, color, () => ({ fill: { color }, stroke: null, radius: 2 }));
}

/** A cross through each segment that the link lost; within a ring where it was the queue that dropped it. */
function drawDrops(frame: Frame): void {
  const { surface, palette, index, x, y, coords, view } = frame;
  const { data, names } = index.series;
  const [from, to] = RunIndex.within(index.dropped, view.t0, view.t1);
  const ofCongestion = congestionIn(names.drop);
  const size = 3.4;
  const colors: readonly (readonly [Verdict, string])[] = [
    [Verdict.Original, palette.drop],
    [Verdict.Necessary, palette.necessary],
    [Verdict.Unnecessary, palette.unnecessary],
    [Verdict.Unknown, palette.unknown],
  ];
  for (const [verdict, color] of colors) {
    const rings: [number, number][] = [];
    let lastX = NaN;
    let lastY = NaN;
    coords.clear();
    for (let k = from; k < to; k++) {
      const row = index.dropped.rows[k];
      if (data.verdict[row] !== verdict) continue;
      const at = x.toPx(index.dropped.t[k] as Ns);
      const height = y.toPx((data.seq[row] + data.len[row] / 2) as Octets);
      // In a burst the marks stand apart far enough to be read; the link's lane has a tick for each.
      if (Math.hypot(at - lastX, height - lastY) < 5) continue;
      lastX = at;
      lastY = height;
      if (ofCongestion.has(data.drop[row])) rings.push([at, height]);
      coords.push4(at - size, height - size, at + size, height + size);
      coords.push4(at - size, height + size, at + size, height - size);
    }
    surface.lines(coords, { color: palette.background, width: 3.4 });
    surface.lines(coords, { color, width: 1.6 });
    coords.clear();
    for (const [at, height] of rings) coords.push2(at, height);
    surface.circles(coords, 5.4, null, { color, width: 1.2 });
  }
}

/** When each segment arrived; where there is room, with a line from when it was sent. */
function drawArrivals(frame: Frame): void {
  const { surface, palette, index, x, y, coords, view, layout } = frame;
  const { data } = index.series;
  const from = lowerBound(data.t, view.t0 - index.longestPassage);
  const to = upperBound(data.t, view.t1);
  const few = to - from < layout.plot.w / 2.5;
  coords.clear();
  if (few) {
    for (let i = from; i < to; i++) {
      if (data.arrived[i] < 0) continue;
      const height = y.toPx((data.seq[i] + data.len[i] / 2) as Octets);
      coords.push4(x.toPx(data.t[i] as Ns), height, x.toPx(data.arrived[i] as Ns), height);
    }
    surface.lines(coords, { color: palette.arrival, width: 0.75, alpha: 0.55 });
    coords.clear();
  }
  let lastX = NaN;
  let lastY = NaN;
  for (let i = from; i < to; i++) {
    if (data.arrived[i] < 0) continue;
    const at = x.toPx(data.arrived[i] as Ns);
    const height = y.toPx((data.seq[i] + data.len[i] / 2) as Octets);
    if (Math.abs(at - lastX) < 0.7 && Math.abs(height - lastY) < 0.7) continue;
    lastX = at;
    lastY = height;
    coords.push4(at - 1.5, height, at + 1.5, height);
  }
  surface.lines(coords, { color: palette.arrival, width: 2 });
}
