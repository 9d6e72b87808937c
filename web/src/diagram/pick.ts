import type { CssPx, Ns, Octets } from '../lib/brand';
import { lastAtMost, lowerBound, upperBound } from '../lib/search';
import {
  explainAck,
  explainBand,
  explainDetectorStep,
  explainDrop,
  explainFastRetransmit,
  explainLimit,
  explainMark,
  explainQueue,
  explainSegment,
  explainSetting,
  explainState,
  explainTimeout,
  type BandKind,
  type Explanation,
} from '../series/explain';
import { RunIndex } from '../series/run-index';
import { Verdict, type BandColumns } from '../series/types';
import type { Pick, Selected } from './content';
import type { Frame } from './frame';
import type { LayerId } from './layers';
import { inside } from './layout';

/** How near the pointer must come, CSS pixels. */
const REACH = 14;
/** No more rows than this are looked at on each side of the pointer. */
const MOST_ROWS = 4000;

const VERDICT_LAYERS: readonly (readonly [Verdict, LayerId])[] = [
  [Verdict.Unnecessary, 'unnecessary'],
  [Verdict.Necessary, 'necessary'],
  [Verdict.Unknown, 'unknown'],
  [Verdict.Original, 'segments'],
];

/** The thing that is nearest to a point of the diagram; `null` where there is none. */
export function pick(frame: Frame, x: number, y: number): Pick | null {
  const { layout, index } = frame;
  if (inside(layout.events, x, y)) return pickEvent(frame, x, eventsHeight(frame), REACH);
  if (inside(layout.plot, x, y)) {
    return pickSegment(frame, x, y) ?? pickEvent(frame, x, y, 4) ?? pickAck(frame, x, y);
  }
  for (const [lane, box] of layout.lanes) {
    if (!inside(box, x, y)) continue;
    const t = frame.x.fromPx(x as CssPx);
    switch (lane) {
      case 'detector':
        return pickDetector(frame, x, box.y + box.h / 2);
      case 'link':
        return pickLink(frame, x, y, y < box.y + box.h / 2 ? 0 : 1);
      case 'rate':
      case 'delay':
        return fixed(frame, explainSetting(lane, index, t, frame.clock), t, y);
      case 'queue':
        return fixed(frame, explainQueue(index, t, frame.clock), t, y);
      case 'limits':
      case 'cwnd':
      case 'timer': {
        const explain = lane === 'limits' ? explainLimit : explainState;
        const explanation = explain(index, t, frame.clock);
        return explanation === null ? null : fixed(frame, explanation, t, y);
      }
    }
  }
  return null;
}

/** A data segment as a pick, wherever it stands. `index` has it; the frame's own if it is not told. */
export function pickRow(frame: Frame, row: number, index = frame.index): Pick {
  const { data } = index.series;
  const selected: Selected = { kind: 'segment', t: data.t[row] as Ns, seq: data.seq[row] as Octets };
  return {
    explanation: explainSegment(index, row, frame.clock),
    t: axisTime(frame, data.t[row]),
    height: { octet: (data.seq[row] + data.len[row] / 2) as Octets },
    index,
    row,
    selected,
  };
}

/** A timeout as a pick. */
export function pickTimeout(frame: Frame, i: number, index = frame.index): Pick {
  const t = index.series.timeouts.t[i] as Ns;
  return {
    ...fixed(frame, explainTimeout(index, i, frame.clock), t, eventsHeight(frame)),
    index,
    selected: { kind: 'timeout', t },
  };
}

/** A thing at a fixed height: in a strip or a lane. */
function fixed(frame: Frame, explanation: Explanation, t: number, y: number): Pick {
  return {
    explanation,
    t: axisTime(frame, t),
    height: { px: y },
    index: frame.index,
    row: -1,
    selected: null,
  };
}

const axisTime = (frame: Frame, t: number) => (t - (frame.origin?.t ?? 0)) as Ns;

const eventsHeight = (frame: Frame) => frame.layout.events.y + 8;

function pickSegment(frame: Frame, x: number, y: number): Pick | null {
  const { index, x: xs, y: ys } = frame;
  const { data } = index.series;
  let best = -1;
  let least = REACH;
  for (const [verdict, layer] of VERDICT_LAYERS) {
    if (!frame.shows(layer)) continue;
    const rows = index.byVerdict[verdict];
    const t0 = xs.fromPx((x - REACH) as CssPx);
    const t1 = xs.fromPx((x + REACH) as CssPx);
    let [from, to] = RunIndex.within(rows, t0, t1);
    if (to - from > 2 * MOST_ROWS) {
      const middle = lowerBound(rows.t, xs.fromPx(x as CssPx));
      [from, to] = [Math.max(from, middle - MOST_ROWS), Math.min(to, middle + MOST_ROWS)];
    }
    for (let k = from; k < to; k++) {
      const row = rows.rows[k];
      const dx = xs.toPx(rows.t[k] as Ns) - x;
      const bottom = ys.toPx(data.seq[row] as Octets);
      const top = ys.toPx((data.seq[row] + data.len[row]) as Octets);
      const dy = y < top ? top - y : y > bottom ? y - bottom : 0;
      // Retransmissions stand a little nearer, so that they win among the crowd of originals.
      const distance = Math.hypot(dx, dy) - (verdict === Verdict.Original ? 0 : 2);
      if (distance < least) {
        least = distance;
        best = row;
      }
    }
  }
  return best < 0 ? null : pickRow(frame, best);
}

function pickEvent(frame: Frame, x: number, y: number, reach: number): Pick | null {
  const { index } = frame;
  const { timeouts, fast_retransmits: fast } = index.series;
  const timeout = frame.shows('timeouts') ? nearest(frame, timeouts.t, x, reach) : -1;
  const quick = frame.shows('fast') ? nearest(frame, fast.t, x, reach) : -1;
  const distance = (times: Float64Array, i: number) =>
    i < 0 ? Infinity : Math.abs(frame.x.toPx(times[i] as Ns) - x);
  if (timeout < 0 && quick < 0) return null;
  if (distance(timeouts.t, timeout) <= distance(fast.t, quick)) {
    return { ...pickTimeout(frame, timeout), height: { px: y } };
  }
  return fixed(frame, explainFastRetransmit(index, quick, frame.clock), fast.t[quick], y);
}

function pickAck(frame: Frame, x: number, y: number): Pick | null {
  const { index, x: xs, y: ys } = frame;
  const { acks } = index.series;
  if (!frame.shows('acks')) return null;
  const i = lastAtMost(acks.t, xs.fromPx((x + 2) as CssPx));
  if (i < 0) return null;
  const octet = acks.ack[i] as Octets;
  if (Math.abs(ys.toPx(octet) - y) > 6) return null;
  return { ...fixed(frame, explainAck(index, i, frame.clock), acks.t[i], y), height: { octet } };
}

function pickDetector(frame: Frame, x: number, y: number): Pick | null {
  const { index } = frame;
  const i = nearest(frame, index.series.detector.t, x, 2 * REACH);
  if (i < 0) return null;
  return fixed(frame, explainDetectorStep(index, i, frame.clock), index.series.detector.t[i], y);
}

function pickLink(frame: Frame, x: number, y: number, direction: number): Pick | null {
  const { index } = frame;
  const { link } = index.series;
  const drop = nearest(frame, link.drops.t, x, 4, (i) => link.drops.direction[i] === direction);
  if (drop >= 0) return fixed(frame, explainDrop(index, drop, frame.clock), link.drops.t[drop], y);
  const mark = nearest(frame, link.marks.t, x, 4, (i) => link.marks.direction[i] === direction);
  if (mark >= 0) return fixed(frame, explainMark(index, mark, frame.clock), link.marks.t[mark], y);
  const kinds: readonly (readonly [BandKind, BandColumns])[] = [
    ['outage', link.outages],
    ['hold', link.holds],
    ['bad', link.bad],
  ];
  for (const [kind, bands] of kinds) {
    for (let i = 0; i < bands.length; i++) {
      if (bands.direction[i] !== direction) continue;
      if (frame.x.toPx(bands.from[i] as Ns) - 2 > x || frame.x.toPx(bands.to[i] as Ns) + 2 < x) continue;
      return fixed(frame, explainBand(index, kind, bands, i, frame.clock), frame.x.fromPx(x as CssPx), y);
    }
  }
  return null;
}

function nearest(
  frame: Frame,
  times: Float64Array,
  x: number,
  reach: number,
  counts: (i: number) => boolean = () => true,
): number {
  const from = lowerBound(times, frame.x.fromPx((x - reach) as CssPx));
  const to = upperBound(times, frame.x.fromPx((x + reach) as CssPx));
  let best = -1;
  let least = Infinity;
  for (let i = from; i < to; i++) {
    const distance = Math.abs(frame.x.toPx(times[i] as Ns) - x);
    if (distance < least && counts(i)) {
      least = distance;
      best = i;
    }
  }
  return best;
}
