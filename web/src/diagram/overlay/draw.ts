import type { Ns, Octets } from '../../lib/brand';
import { lowerBound, upperBound } from '../../lib/search';
import { octetTicks } from '../../lib/ticks';
import { Coords } from '../../paint/coords';
import { RunIndex } from '../../series/run-index';
import { Truth, Verdict, type BandColumns } from '../../series/types';
import { drawAxisBelow, drawGridLines } from '../draw/axes';
import { traceSteps } from '../draw/steps';
import { axisTicks, timeTitle } from '../frame';
import type { OverlayFrame, TraceFrame } from './frame';

/** How large marks are, CSS pixels. */
const RADIUS = 3.4;

/** Draws several runs over one time axis, from the back to the front. `origin` says what happened at its zero. */
export function drawOverlayScene(frame: OverlayFrame, origin: string | null): void {
  const { surface, layout, view, x, y } = frame;
  const { unit, marks } = axisTicks(view.t0, view.t1, layout.plot.w);
  const times = marks.map(({ value, label }) => ({ at: x.toPx(value as Ns), label }));
  const ticks = octetTicks(y.d0, y.d1, Math.max(3, Math.round(layout.plot.h / 62)));
  const heights = ticks.marks
    .filter(({ value }) => value >= 0)
    .map(({ value, label }) => ({ at: y.toPx(value as Octets), label }));
  surface.group('grid', () => drawGridLines(frame, times, heights, `Sequence number (${ticks.unit})`));
  drawZero(frame);
  surface.clip(layout.plot, () => {
    for (const trace of frame.traces) {
      surface.group(`trace ${trace.label}`, () => {
        drawTimeoutLines(frame, trace);
        drawEnvelope(frame, trace);
      });
    }
    for (const trace of frame.traces) drawSentAgain(frame, trace);
  });
  for (const trace of frame.traces) drawStrip(frame, trace);
  surface.group('time-axis', () =>
    drawAxisBelow(frame, times, timeTitle(origin === null ? null : { label: origin }, unit)),
  );
}

/** The instant at which the runs are aligned. */
function drawZero({ surface, layout, palette, x, coords, traces }: OverlayFrame): void {
  if (traces.every((trace) => trace.origin === 0)) return;
  const { plot, axis, events } = layout;
  const at = x.toPx(0 as Ns);
  if (at < plot.x || at > plot.x + plot.w) return;
  coords.clear().push4(at, events.y, at, axis.y);
  surface.lines(coords, { color: palette.axis, width: 1.5, crisp: true });
}

const stairs = new Coords();

/** How far the run had come with data that it had not sent before. */
function drawEnvelope({ surface }: OverlayFrame, trace: TraceFrame): void {
  const { index, style, y } = trace;
  const { t } = index.byVerdict[Verdict.Original];
  const { values, length } = traceSteps(trace, t, index.originalSeq, y, index.series.duration);
  // One path with its corners, not rectangles: where it climbs, too, its dashes tell it from the others.
  stairs.clear();
  for (let i = 0; i < length; i += 2) {
    if (i > 0) stairs.push2(values[i], values[i - 1]);
    stairs.push2(values[i], values[i + 1]);
  }
  const { color, dash } = style;
  surface.polyline(stairs, { color, width: 1.8, ...(dash ? { dash } : {}) });
}

function drawTimeoutLines(
  { surface, layout }: OverlayFrame,
  { index, x, view, coords, style }: TraceFrame,
): void {
  const { timeouts } = index.series;
  const { plot } = layout;
  for (const spurious of [false, true]) {
    coords.clear();
    for (let i = lowerBound(timeouts.t, view.t0); i < upperBound(timeouts.t, view.t1); i++) {
      if ((timeouts.verdict[i] === Truth.Spurious) !== spurious) continue;
      const at = x.toPx(timeouts.t[i] as Ns);
      coords.push4(at, plot.y, at, plot.y + plot.h);
    }
    const broken = spurious ? { dash: [4, 3] } : {};
    surface.lines(coords, { color: style.color, width: 1, alpha: 0.6, crisp: true, ...broken });
  }
}

/** What was sent again: filled where that was necessary, open where it was not. */
function drawSentAgain({ surface, palette }: OverlayFrame, trace: TraceFrame): void {
  const { index, x, y, view, coords, style } = trace;
  const { data } = index.series;
  const kinds = [
    [Verdict.Unknown, { color: style.color, alpha: 0.45 }],
    [Verdict.Necessary, { color: style.color }],
    [Verdict.Unnecessary, { color: palette.background }],
  ] as const;
  for (const [verdict, fill] of kinds) {
    const rows = index.byVerdict[verdict];
    const [from, to] = RunIndex.within(rows, view.t0, view.t1);
    coords.clear();
    let lastX = NaN;
    let lastY = NaN;
    for (let k = from; k < to; k++) {
      const row = rows.rows[k];
      const at = x.toPx(rows.t[k] as Ns);
      const height = y.toPx((data.seq[row] + data.len[row] / 2) as Octets);
      // Marks that would hide one another are one mark.
      if (Math.hypot(at - lastX, height - lastY) < 2) continue;
      lastX = at;
      lastY = height;
      coords.push2(at, height);
    }
    surface.marks(coords, style.mark, RADIUS, fill, { color: style.color, width: 1.4 });
  }
}

/** The row of a run above the plot: its mark, holds and outages, and a mark for each timeout. */
function drawStrip(frame: OverlayFrame, trace: TraceFrame): void {
  const { surface, palette, layout } = frame;
  const { index, x, view, coords, style, strip } = trace;
  const { link, timeouts } = index.series;
  const middle = strip.y + strip.h / 2;
  surface.group(`events ${trace.label}`, () => {
    coords.clear().push2(strip.x - 10, middle);
    surface.marks(coords, style.mark, 4, { color: style.color }, null);
    const stroke = { color: palette.grid, width: 1, crisp: true };
    coords.clear().push4(strip.x, strip.y + strip.h, strip.x + strip.w, strip.y + strip.h);
    surface.lines(coords, stroke);
    surface.clip({ ...layout.plot, y: strip.y, h: strip.h }, () => {
      bands(frame, trace, link.holds, palette.hold);
      bands(frame, trace, link.outages, palette.outage);
      for (const truth of [Truth.Unknown, Truth.Genuine, Truth.Spurious]) {
        coords.clear();
        for (let i = lowerBound(timeouts.t, view.t0); i < upperBound(timeouts.t, view.t1); i++) {
          if (timeouts.verdict[i] === truth) coords.push2(x.toPx(timeouts.t[i] as Ns), middle);
        }
        const fill = { color: truth === Truth.Spurious ? palette.background : style.color };
        surface.marks(coords, style.mark, 4, fill, { color: style.color, width: 1.5 });
      }
    });
  });
}

function bands(
  { surface }: OverlayFrame,
  { coords, x, view, strip }: TraceFrame,
  of: BandColumns,
  color: string,
): void {
  coords.clear();
  for (let i = 0; i < of.length; i++) {
    if (of.to[i] < view.t0 || of.from[i] > view.t1) continue;
    const left = Math.max(strip.x - 2, x.toPx(of.from[i] as Ns));
    const right = Math.min(strip.x + strip.w + 2, x.toPx(of.to[i] as Ns));
    coords.push4(left, strip.y + 3, Math.max(1, right - left), strip.h - 5);
  }
  surface.rects(coords, { color, alpha: 0.45 });
}
