import type { Ns } from '../../lib/brand';
import { lowerBound } from '../../lib/search';
import { Verdict } from '../../series/types';
import type { Here, StepResult, Target } from '../content';
import { nextInstant, nextSegment, type Step } from '../step';
import type { OverlayFrame, TraceFrame } from './frame';
import { pickRowOf, pickTimeoutOf } from './pick';

type Found = StepResult<OverlayFrame> & { readonly beyond: boolean };

/** Where a key leads among all runs of a plot: the nearest in the axis' time; segments are stepped through run by run. */
export function stepInOverlay(
  frame: OverlayFrame,
  target: Target,
  step: Step,
  { view, pick, cursor }: Here,
): StepResult<OverlayFrame> | null {
  if (target === 'segment') {
    const trace = frame.traces.find(({ index }) => index === pick?.index) ?? frame.traces.at(0);
    if (!trace) return null;
    const row = nextSegment(
      trace.index.series.data.t,
      trace.view,
      pick?.index === trace.index ? pick.row : -1,
      step,
    );
    return row === null ? null : placeRow(trace, row);
  }
  const at = pick?.t ?? cursor ?? (view.t0 + view.t1) / 2;
  const found = frame.traces
    .flatMap((trace) =>
      target === 'timeout' ? timeoutBeside(trace, at, step) : sentAgainBeside(trace, at, step),
    )
    .sort((a, b) => Number(b.beyond) - Number(a.beyond) || Math.abs(a.t - at) - Math.abs(b.t - at));
  return found.at(0) ?? null;
}

function timeoutBeside(trace: TraceFrame, at: number, step: Step): Found[] {
  const { t } = trace.index.series.timeouts;
  const i = nextInstant(t, at + trace.origin, step);
  if (i === null) return [];
  const when = (t[i] - trace.origin) as Ns;
  const pick = (frame: OverlayFrame) => {
    const now = sameTrace(frame, trace);
    const there = lowerBound(now.index.series.timeouts.t, t[i]);
    return now.index.series.timeouts.t[there] === t[i] ? pickTimeoutOf(now, there) : pickTimeoutOf(trace, i);
  };
  return [{ t: when, beyond: isBeyond(when, at, step), pick }];
}

function sentAgainBeside(trace: TraceFrame, at: number, step: Step): Found[] {
  return [Verdict.Necessary, Verdict.Unnecessary, Verdict.Unknown].flatMap((verdict) => {
    const { t, rows } = trace.index.byVerdict[verdict];
    const i = nextInstant(t, at + trace.origin, step);
    if (i === null) return [];
    const place = placeRow(trace, rows[i]);
    return [{ ...place, beyond: isBeyond(place.t, at, step) }];
  });
}

function placeRow(trace: TraceFrame, row: number): StepResult<OverlayFrame> {
  const { data } = trace.index.series;
  return {
    t: (data.t[row] - trace.origin) as Ns,
    pick: (frame) => {
      const now = sameTrace(frame, trace);
      const there = now.index.rowOf(data.t[row], data.seq[row]);
      return there < 0 ? pickRowOf(trace, row) : pickRowOf(now, there);
    },
  };
}

/** The same run in another frame, where its data may be finer. */
function sameTrace(frame: OverlayFrame, { label, place }: TraceFrame): TraceFrame {
  const same = frame.traces.find((trace) => trace.place === place);
  if (!same) throw new Error(`the plot has lost its run ${label}`);
  return same;
}

const isBeyond = (t: number, at: number, step: Step) => (step > 0 ? t > at : t < at);
