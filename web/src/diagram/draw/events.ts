import type { Ns } from '../../lib/brand';
import { formatTime } from '../../lib/format';
import { lowerBound, upperBound } from '../../lib/search';
import type { Palette } from '../../paint/palette';
import { answerIsRight, answerOf } from '../../series/explain';
import { Truth } from '../../series/types';
import type { Frame } from '../frame';

/** The colour of a timeout or fast retransmit. */
export function truthColor(palette: Palette, truth: number): string {
  if (truth === Truth.Spurious) return palette.unnecessary;
  return truth === Truth.Genuine ? palette.necessary : palette.unknown;
}

const TRUTHS = [Truth.Spurious, Truth.Genuine, Truth.Unknown, -1];

/** A line through plot and lanes at each timeout, broken where it was spurious; behind everything else. */
export function drawEventLines(frame: Frame): void {
  const { timeouts } = frame.index.series;
  if (!frame.shows('timeouts')) return;
  frame.surface.group('timeout-lines', () =>
    lines(frame, timeouts.t, timeouts.verdict, frame.layout.plot.y, frame.layout.axis.y, 1.2),
  );
}

/** The marks above the plot: R for a timeout, F for a fast retransmit. */
export function drawEventMarks(frame: Frame): void {
  const { surface, index, layout } = frame;
  const { timeouts, fast_retransmits: fast } = index.series;
  const foot = layout.events.y + layout.events.h;
  if (frame.shows('fast')) {
    surface.group('fast-retransmits', () => {
      lines(frame, fast.t, fast.verdict, foot - 3, layout.plot.y + 7, 1.5);
      letters(frame, fast.t, fast.verdict, 'F', 10.5);
    });
  }
  if (frame.shows('timeouts')) {
    surface.group('timeouts', () => {
      lines(frame, timeouts.t, timeouts.verdict, foot - 3, layout.plot.y, 1.2);
      letters(frame, timeouts.t, timeouts.verdict, 'R', 12);
    });
  }
}

function lines(
  frame: Frame,
  times: Float64Array,
  verdicts: Int16Array,
  top: number,
  foot: number,
  width: number,
): void {
  const { surface, palette, x, coords, view } = frame;
  const from = lowerBound(times, view.t0);
  const to = upperBound(times, view.t1);
  for (const truth of TRUTHS) {
    coords.clear();
    for (let i = from; i < to; i++) {
      const at = x.toPx(times[i] as Ns);
      if (verdicts[i] === truth) coords.push4(at, top, at, foot);
    }
    const broken = truth === Truth.Genuine ? {} : { dash: [4, 3] };
    surface.lines(coords, { color: truthColor(palette, truth), width, alpha: 0.75, crisp: true, ...broken });
  }
}

function letters(
  frame: Frame,
  times: Float64Array,
  verdicts: Int16Array,
  letter: string,
  size: number,
): void {
  const { surface, layout, palette, x, view } = frame;
  const { events } = layout;
  const from = lowerBound(times, view.t0);
  const to = upperBound(times, view.t1);
  let free = -Infinity;
  for (let i = from; i < to; i++) {
    const at = x.toPx(times[i] as Ns);
    if (at - 6 < free) continue;
    free = at + 6;
    surface.text(at, events.y + events.h - 10, letter, {
      color: truthColor(palette, verdicts[i]),
      size,
      align: 'middle',
      bold: true,
      halo: palette.background,
    });
  }
}

/** The detector's work: a bracket from each timeout to its answer, a tick per step, the rule where there is room. */
export function drawDetector(frame: Frame): void {
  const { surface, layout, palette, x, coords, view, index } = frame;
  const lane = layout.lanes.get('detector');
  if (!lane) return;
  const { detector, timeouts, names } = index.series;
  const middle = lane.y + lane.h / 2;

  surface.clip({ ...lane, x: lane.x - 8, w: lane.w + 16 }, () => {
    coords.clear();
    for (let i = 0; i < timeouts.length; i++) {
      if (timeouts.answered[i] < 0 || timeouts.answered[i] < view.t0 || timeouts.t[i] > view.t1) continue;
      coords.push4(x.toPx(timeouts.t[i] as Ns), middle, x.toPx(timeouts.answered[i] as Ns), middle);
    }
    surface.lines(coords, { color: palette.axis, width: 1.2 });

    const from = lowerBound(detector.t, view.t0);
    const to = upperBound(detector.t, view.t1);
    coords.clear();
    for (let i = from; i < to; i++) {
      if (detector.answer[i] < 0) coords.push2(x.toPx(detector.t[i] as Ns), middle);
    }
    surface.circles(coords, 2.4, { color: palette.background }, { color: palette.segment, width: 1.2 });
    drawAnswers(frame, from, to, middle);

    let free = -Infinity;
    for (let i = from; i < to; i++) {
      const at = x.toPx(detector.t[i] as Ns);
      const words = names.rule[detector.rule[i]] ?? '';
      const answer = answerOf(names.answer, detector.answer, i);
      const label = answer === null ? shortRule(words) : `${shortRule(words)}: ${answer}`;
      const next = i + 1 < detector.length ? x.toPx(detector.t[i + 1] as Ns) : Infinity;
      const width = surface.textWidth(label, 10.5);
      if (at + 6 < free || at + 8 + width > Math.min(next - 4, lane.x + lane.w)) continue;
      coords.clear();
      coords.push4(at + 5, middle - 7, width + 4, 14);
      surface.rects(coords, { color: palette.background });
      surface.text(at + 7, middle, label, { color: palette.text, size: 10.5 });
      free = at + 8 + width;
    }
  });
}

/** The short name of a rule: what stands before the colon (`F-RTO 2a`). */
export function shortRule(words: string): string {
  const colon = words.indexOf(':');
  return colon > 0 ? words.slice(0, colon) : words;
}

/** Answers as filled dots: blue where right, vermillion where wrong, grey where nobody can say. */
function drawAnswers(frame: Frame, from: number, to: number, middle: number): void {
  const { surface, palette, x, coords, index } = frame;
  const { detector, timeouts, names } = index.series;
  for (const wanted of [true, false, null]) {
    coords.clear();
    for (let i = from; i < to; i++) {
      const answer = answerOf(names.answer, detector.answer, i);
      if (answer === null) continue;
      const timeout = timeouts.ordinal.indexOf(detector.ordinal[i]);
      const truth = timeout >= 0 ? timeouts.verdict[timeout] : Truth.Unknown;
      if (answerIsRight(truth, answer) === wanted) coords.push2(x.toPx(detector.t[i] as Ns), middle);
    }
    const color = wanted === null ? palette.unknown : wanted ? palette.necessary : palette.unnecessary;
    surface.circles(coords, 3.4, { color }, null);
  }
}

/** The length of a band in words, where it fits. */
export function bandLabel(
  kind: string,
  length: number,
  room: number,
  width: (text: string) => number,
): string {
  const long = `${kind} ${formatTime(length, 1)}`;
  if (width(long) + 6 <= room) return long;
  const short = formatTime(length, 1);
  return width(short) + 6 <= room ? short : '';
}
