import { ns, type Ns } from '../../lib/brand';
import { answerIsRight, answerOf } from '../../series/explain';
import { Truth, type Series } from '../../series/types';

/** A timeout or a fast retransmit, with its verdict and what the detector said of it. */
export interface Mark {
  readonly kind: 'timeout' | 'fast';
  readonly t: Ns;
  readonly truth: number;
  /** `spurious`, `genuine`, `undecided`; `null` where no detector said anything. */
  readonly answer: string | null;
  /** Whether the answer agrees with the truth; `null` where that cannot be said. */
  readonly right: boolean | null;
}

/** From the onset of a trouble to the recovery from it, in the time of the run. */
export interface Span {
  readonly onset_ns: number;
  readonly ended_ns: number | null;
  readonly recovered_ns: number | null;
}

/** All timeouts and fast retransmits of a run, in order of time. */
export function marksOf(series: Series): readonly Mark[] {
  const { timeouts, fast_retransmits: fast, names } = series;
  const fired = Array.from(timeouts.t, (t, i): Mark => {
    const answer = answerOf(names.answer, timeouts.answer, i);
    const truth = timeouts.verdict[i];
    return { kind: 'timeout', t: ns(t), truth, answer, right: answerIsRight(truth, answer) };
  });
  const repaired = Array.from(fast.t, (t, i): Mark => {
    return { kind: 'fast', t: ns(t), truth: fast.verdict[i], answer: null, right: null };
  });
  return [...fired, ...repaired].sort((a, b) => a.t - b.t);
}

/** When an episode was over: no later than the end of the run. */
export function endOf(span: Span, duration: Ns): Ns {
  return ns(span.recovered_ns ?? duration);
}

/** Those of an episode. Each belongs to exactly one, so that the onset of the next ends this one's. */
export function marksWithin(marks: readonly Mark[], spans: readonly Span[], i: number): readonly Mark[] {
  const from = spans[i].onset_ns;
  const to = i + 1 < spans.length ? spans[i + 1].onset_ns : Infinity;
  return marks.filter(({ t }) => t >= from && t < to);
}

/** Which episodes are listed. */
export const FILTERS = ['all', 'spurious', 'wrong'] as const;
export type Filter = (typeof FILTERS)[number];

/** Whether an episode with these marks is among those asked for. */
export function passes(filter: Filter, marks: readonly Mark[]): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'spurious':
      return marks.some(({ truth }) => truth === Truth.Spurious);
    case 'wrong':
      return marks.some(({ right }) => right === false);
  }
}

/** A stretch that shows what led to an episode and what came of it. */
export function viewOf(span: Span, duration: Ns): { readonly t0: Ns; readonly t1: Ns; readonly y: null } {
  const end = endOf(span, duration);
  const margin = Math.max(0.2 * (end - span.onset_ns), 0.004 * duration);
  return { t0: ns(span.onset_ns - margin), t1: ns(end + margin), y: null };
}
