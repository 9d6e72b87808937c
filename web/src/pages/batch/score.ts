import type { TitledCell } from './titled';

/** What a detector said of the timeouts of all runs of a cell, against what happened. */
export interface Score {
  readonly tp: number;
  readonly fn: number;
  readonly tn: number;
  readonly fp: number;
  readonly undecided: number;
  /** Fast retransmits, of which no detector says anything: all, and the spurious ones. */
  readonly fast: number;
  readonly fastSpurious: number;
  /** Those that were right or wrong; the undecided ones are among the missed and the respected. */
  readonly timeouts: number;
}

/** Adds the score of a cell up; null if it was not measured, as of a kernel. */
export function scoreOf({ metrics }: Pick<TitledCell, 'metrics'>): Score | null {
  if (!metrics.has('detector_true_positives')) return null;
  const sum = (name: string) => metrics.get(name)?.values.reduce((total, value) => total + value, 0) ?? 0;
  const tp = sum('detector_true_positives');
  const fn = sum('detector_false_negatives');
  const tn = sum('detector_true_negatives');
  const fp = sum('detector_false_positives');
  return {
    tp,
    fn,
    tn,
    fp,
    undecided: sum('detector_undecided'),
    fast: sum('fast_retransmits'),
    fastSpurious: sum('spurious_fast_retransmits'),
    timeouts: tp + fn + tn + fp,
  };
}
