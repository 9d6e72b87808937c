import type { CssPx, Ns, Octets } from '../../lib/brand';
import { lowerBound, upperBound } from '../../lib/search';
import { explainBand, explainSegment, explainTimeout, type Explanation } from '../../series/explain';
import { RunIndex } from '../../series/run-index';
import { Verdict } from '../../series/types';
import type { Pick } from '../content';
import { inside } from '../layout';
import type { OverlayFrame, TraceFrame } from './frame';

/** How near the pointer must come, CSS pixels. */
const REACH = 14;

/** The thing of any run that is nearest to a place. */
export function pickInOverlay(frame: OverlayFrame, x: number, y: number): Pick | null {
  for (const trace of frame.traces) if (inside(trace.strip, x, y)) return pickInStrip(trace, x);
  if (!inside(frame.layout.plot, x, y)) return null;
  let best: { readonly trace: TraceFrame; readonly row: number } | null = null;
  let least = REACH;
  for (const trace of frame.traces) {
    for (const verdict of Object.values(Verdict)) {
      // What was sent again wins among the crowd of originals.
      const found = nearestRow(trace, verdict, x, y);
      const distance = found.distance - (verdict === Verdict.Original ? 0 : 4);
      if (found.row < 0 || distance >= least) continue;
      least = distance;
      best = { trace, row: found.row };
    }
  }
  return best === null ? null : pickRowOf(best.trace, best.row);
}

/** A segment of a run as a pick. */
export function pickRowOf(trace: TraceFrame, row: number): Pick {
  const { index, clock } = trace;
  const { data } = index.series;
  return {
    explanation: named(trace, explainSegment(index, row, clock)),
    t: (data.t[row] - trace.origin) as Ns,
    height: { octet: (data.seq[row] + data.len[row] / 2) as Octets },
    index,
    row,
    selected: null,
  };
}

/** A timeout of a run as a pick. */
export function pickTimeoutOf(trace: TraceFrame, i: number): Pick {
  const { index, clock } = trace;
  return inStrip(trace, index.series.timeouts.t[i], explainTimeout(index, i, clock));
}

function inStrip(trace: TraceFrame, t: number, explanation: Explanation): Pick {
  return {
    explanation: named(trace, explanation),
    t: (t - trace.origin) as Ns,
    height: { px: trace.strip.y + trace.strip.h / 2 },
    index: trace.index,
    row: -1,
    selected: null,
  };
}

function named(trace: TraceFrame, explanation: Explanation): Explanation {
  return { ...explanation, title: `${trace.label}: ${explanation.title}` };
}

function nearestRow({ index, x: xs, y: ys }: TraceFrame, verdict: Verdict, x: number, y: number) {
  const { data } = index.series;
  const rows = index.byVerdict[verdict];
  const [from, to] = RunIndex.within(rows, xs.fromPx((x - REACH) as CssPx), xs.fromPx((x + REACH) as CssPx));
  let row = -1;
  let distance = Infinity;
  for (let k = from; k < to; k++) {
    const at = rows.rows[k];
    const height = ys.toPx((data.seq[at] + data.len[at] / 2) as Octets);
    const away = Math.hypot(xs.toPx(rows.t[k] as Ns) - x, height - y);
    if (away < distance) [row, distance] = [at, away];
  }
  return { row, distance };
}

function pickInStrip(trace: TraceFrame, x: number): Pick | null {
  const { index, x: xs, clock } = trace;
  const { timeouts, link } = index.series;
  const t = xs.fromPx(x as CssPx);
  let best = -1;
  const from = lowerBound(timeouts.t, xs.fromPx((x - REACH) as CssPx));
  const to = upperBound(timeouts.t, xs.fromPx((x + REACH) as CssPx));
  for (let i = from; i < to; i++) {
    if (best < 0 || Math.abs(timeouts.t[i] - t) < Math.abs(timeouts.t[best] - t)) best = i;
  }
  if (best >= 0) return pickTimeoutOf(trace, best);
  for (const [kind, bands] of [['outage', link.outages] as const, ['hold', link.holds] as const]) {
    const i = bands.from.findIndex((begin, place) => begin <= t && t <= bands.to[place]);
    if (i >= 0) return inStrip(trace, t, explainBand(index, kind, bands, i, clock));
  }
  return null;
}
