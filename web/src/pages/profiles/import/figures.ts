import { quantile } from '../../../lib/spread';
import { OPPORTUNITY_OCTETS, type Recording } from './read-file';

/** Over how long the rate of a trace is counted, in s: the engine's window as well (emulator/link, RATE_WINDOW). */
export const WINDOW_S = 0.5;

/** What a recording comes to, computed from the file alone. */
export interface Figures {
  /** `rate`: bit/s over seconds. `delay`: seconds, and which part of the samples is not above. */
  readonly kind: 'rate' | 'delay';
  /** How many opportunities, steps or samples. */
  readonly count: number;
  /** From the beginning to the last instant, in s; null of delays. */
  readonly durationS: number | null;
  readonly mean: number;
  readonly least: number;
  readonly greatest: number;
  /** Of delays alone: half are not above. */
  readonly median: number | null;
  /** What a chart draws: steps that hold from one x to the next. */
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Computes what a recording comes to. */
export function figuresOf(recording: Recording): Figures {
  switch (recording.kind) {
    case 'trace':
      return ofTrace(recording.milliseconds);
    case 'steps':
      return ofSteps(recording.atS, recording.bps);
    case 'delays':
      return ofDelays(recording.seconds);
  }
}

function ofTrace(milliseconds: readonly number[]): Figures {
  const durationS = (milliseconds.at(-1) ?? 0) / 1000;
  const bits = OPPORTUNITY_OCTETS * 8;
  // Whole windows alone: in what is left at the end, a single packet would look like a high rate.
  const windows = Math.max(1, Math.floor(durationS / WINDOW_S));
  const windowS = Math.min(WINDOW_S, durationS);
  const counts = new Array<number>(windows).fill(0);
  for (const at of milliseconds) {
    // What stands on the end of all belongs to the window that ends there.
    const end = at / 1000 === durationS && durationS === windows * windowS;
    const window = end ? windows - 1 : Math.floor(at / 1000 / windowS);
    if (window < windows) counts[window] = (counts[window] ?? 0) + 1;
  }
  const y = counts.map((count) => (count * bits) / windowS);
  return {
    kind: 'rate',
    count: milliseconds.length,
    durationS,
    mean: (milliseconds.length * bits) / durationS,
    least: least(y),
    greatest: greatest(y),
    median: null,
    x: Array.from({ length: windows + 1 }, (_, i) => i * windowS),
    y: [...y, y.at(-1) ?? 0],
  };
}

function ofSteps(atS: readonly number[], bps: readonly number[]): Figures {
  const durationS = atS.at(-1) ?? 0;
  const bits = atS.slice(1).reduce((sum, at, i) => sum + (bps[i] ?? 0) * (at - (atS[i] ?? 0)), 0);
  return {
    kind: 'rate',
    count: atS.length,
    durationS,
    // The last rate holds for good: it has no length of its own, unless it is the only one.
    mean: durationS > 0 ? bits / durationS : (bps[0] ?? 0),
    least: least(bps),
    greatest: greatest(bps),
    median: null,
    x: atS,
    y: bps,
  };
}

function ofDelays(seconds: readonly number[]): Figures {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (i: number) => sorted[i] ?? 0;
  return {
    kind: 'delay',
    count: sorted.length,
    durationS: null,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    least: at(0),
    greatest: at(sorted.length - 1),
    median: quantile(sorted, 0.5),
    x: sorted,
    y: sorted.map((_, i) => (i + 1) / sorted.length),
  };
}

// Not Math.min(...values): a trace has more values than a call takes arguments.
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
