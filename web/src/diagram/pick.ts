import type { CssPx, Ns, Octets } from '../lib/brand';
import { lastAtMost, lowerBound, upperBound } from '../lib/search';
import {
  explainAck,
  explainBand,
  explainDetectorStep,
  explainDrop,
  explainFastRetransmit,
  explainQueue,
  explainSegment,
  explainState,
  explainTimeout,
  type BandKind,
  type Explanation,
} from '../series/explain';
import { RunIndex } from '../series/run-index';
import { Verdict, type BandColumns } from '../series/types';
import type { Frame } from './frame';
import type { LayerId } from './layers';
import { inside } from './layout';

/** What the pointer is at. */
export interface Pick {
  readonly explanation: Explanation;
  /** Where to point at, CSS pixels. */
  readonly x: number;
  readonly y: number;
  /** The data segment it is, or -1. */
  readonly row: number;
}

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
  if (inside(layout.events, x, y)) return pickEvent(frame, x, layout.events.y + 8, REACH);
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
      case 'queue':
        return { explanation: explainQueue(index, t), x, y, row: -1 };
      case 'cwnd':
      case 'timer': {
        const explanation = explainState(index, t);
        return explanation === null ? null : { explanation, x, y, row: -1 };
      }
    }
  }
  return null;
}

/** A data segment as a pick, wherever it stands. */
export function pickRow(frame: Frame, row: number): Pick {
  const { data } = frame.index.series;
  return {
    explanation: explainSegment(frame.index, row),
    x: frame.x.toPx(data.t[row] as Ns),
    y: frame.y.toPx((data.seq[row] + data.len[row] / 2) as Octets),
    row,
  };
}

/** A timeout as a pick. */
export function pickTimeout(frame: Frame, i: number): Pick {
  const { timeouts } = frame.index.series;
  return {
    explanation: explainTimeout(frame.index, i),
    x: frame.x.toPx(timeouts.t[i] as Ns),
    y: frame.layout.events.y + 8,
    row: -1,
  };
}

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
  const { timeouts, fastRetransmits: fast } = index.series;
  const timeout = frame.shows('timeouts') ? nearest(frame, timeouts.t, x, reach) : -1;
  const quick = frame.shows('fast') ? nearest(frame, fast.t, x, reach) : -1;
  const distance = (times: Float64Array, i: number) =>
    i < 0 ? Infinity : Math.abs(frame.x.toPx(times[i] as Ns) - x);
  if (timeout < 0 && quick < 0) return null;
  if (distance(timeouts.t, timeout) <= distance(fast.t, quick)) {
    return { ...pickTimeout(frame, timeout), y };
  }
  return {
    explanation: explainFastRetransmit(index, quick),
    x: frame.x.toPx(fast.t[quick] as Ns),
    y,
    row: -1,
  };
}

function pickAck(frame: Frame, x: number, y: number): Pick | null {
  const { index, x: xs, y: ys } = frame;
  const { acks } = index.series;
  if (!frame.shows('acks')) return null;
  const i = lastAtMost(acks.t, xs.fromPx((x + 2) as CssPx));
  if (i < 0) return null;
  const height = ys.toPx(acks.ack[i] as Octets);
  if (Math.abs(height - y) > 6) return null;
  return { explanation: explainAck(index, i), x: xs.toPx(acks.t[i] as Ns), y: height, row: -1 };
}

function pickDetector(frame: Frame, x: number, y: number): Pick | null {
  const { index } = frame;
  const i = nearest(frame, index.series.detector.t, x, 2 * REACH);
  if (i < 0) return null;
  return {
    explanation: explainDetectorStep(index, i),
    x: frame.x.toPx(index.series.detector.t[i] as Ns),
    y,
    row: -1,
  };
}

function pickLink(frame: Frame, x: number, y: number, direction: number): Pick | null {
  const { index } = frame;
  const { link } = index.series;
  const drop = nearest(frame, link.drops.t, x, 4, (i) => link.drops.direction[i] === direction);
  if (drop >= 0) {
    const at = frame.x.toPx(link.drops.t[drop] as Ns);
    return { explanation: explainDrop(index, drop), x: at, y, row: -1 };
  }
  const kinds: readonly (readonly [BandKind, BandColumns])[] = [
    ['outage', link.outages],
    ['hold', link.holds],
    ['bad', link.bad],
  ];
  for (const [kind, bands] of kinds) {
    for (let i = 0; i < bands.length; i++) {
      if (bands.direction[i] !== direction) continue;
      if (frame.x.toPx(bands.from[i] as Ns) - 2 > x || frame.x.toPx(bands.to[i] as Ns) + 2 < x) continue;
      return { explanation: explainBand(index, kind, bands, i), x, y, row: -1 };
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
