import type { Schema } from '../../api/client';

type Status = Schema<'ClaimTold'>['status'];

/** What came of the claims of some experiments. */
export interface Tally {
  /** How many experiments have results here. */
  readonly run: number;
  readonly counts: Readonly<Record<Status, number>>;
  /** As `5 reproduced, 1 not reproduced`; claims that were not run come last. */
  readonly words: string;
}

const ORDER: readonly Status[] = ['reproduced', 'not reproduced', 'cannot be decided', 'not run'];

/** Counts the claims of experiments by what came of them. */
export function tally(experiments: readonly Schema<'PaperExperiment'>[]): Tally {
  const counts: Record<Status, number> = {
    reproduced: 0,
    'not reproduced': 0,
    'cannot be decided': 0,
    'not run': 0,
  };
  for (const { claims } of experiments) for (const { status } of claims) counts[status] += 1;
  const parts = ORDER.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return {
    run: experiments.filter(({ batch }) => batch !== null).length,
    counts,
    words: parts.length > 0 ? parts.join(', ') : 'none',
  };
}
