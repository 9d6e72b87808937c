import type { Schema } from '../../api/client';

type RunLine = Schema<'RunLine'>;

export interface Neighbours {
  /** The repetition before of the same variant. */
  readonly previous: RunLine | null;
  readonly next: RunLine | null;
  /** The same repetition of the other variants: they met the same link. */
  readonly variants: readonly RunLine[];
}

/** The runs beside this one, out of all on its link and testbed in its batch. */
export function neighboursOf(
  run: Pick<RunLine, 'variant' | 'repetition'>,
  runs: readonly RunLine[],
): Neighbours {
  const own = runs
    .filter(({ variant }) => variant === run.variant)
    .sort((a, b) => a.repetition - b.repetition);
  return {
    previous: own.findLast(({ repetition }) => repetition < run.repetition) ?? null,
    next: own.find(({ repetition }) => repetition > run.repetition) ?? null,
    variants: runs.filter(
      ({ variant, repetition }) => variant !== run.variant && repetition === run.repetition,
    ),
  };
}
