import type { Schema } from '../../api/client';
import { formatOctets, plural } from '../../lib/format';
import { lengthInWords, rounded } from '../../lib/roughly';

/** What another batch of an experiment is likely to cost, and what that is known from. */
export interface Expected {
  /** In sentences, for a person. */
  readonly lines: readonly string[];
  /** Whether its files would be more than the disk has left. */
  readonly tooLarge: boolean;
}

/** What a start costs, in proportion to what was measured; `repetitions` is null where the experiment says how many. */
export function expected(
  { measured, free_bytes: free }: Schema<'CostsView'>,
  repetitions: number | null,
): Expected {
  const left = `The service’s disk has ${formatOctets(rounded(free))} left.`;
  if (measured === null) {
    return {
      lines: [`Time and disk are not known yet: it has not been run here this way. ${left}`],
      tooLarge: false,
    };
  }
  const { batch, runs, total, elapsed_s: elapsed, size_bytes: size } = measured;
  const next = Math.round((total * (repetitions ?? measured.repetitions)) / measured.repetitions);
  const share = next / runs;
  const known =
    runs < total ? ` (it has ${total}; of the others the results were known, or they failed)` : '';
  return {
    lines: [
      `Measured: ${plural(runs, 'run')} of batch ${batch} took ${lengthInWords(elapsed)} and ${formatOctets(rounded(size))} of disk${known}.`,
      `${plural(next, 'run')} in proportion: about ${lengthInWords(rounded(elapsed * share))} and ${formatOctets(rounded(size * share))}, ` +
        `if the experiment is as it was then and the workers are as many and as free. ${left}`,
    ],
    tooLarge: size * share > free,
  };
}
