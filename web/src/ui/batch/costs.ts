import type { Schema } from '../../api/client';
import { formatOctets, plural } from '../../lib/format';
import { lengthInWords, rounded } from '../../lib/roughly';
import { isLive, type Testbed } from '../testbeds';

/** What another batch of an experiment is likely to cost, and what that is known from. */
export interface Expected {
  /** In sentences, for a person. */
  readonly lines: readonly string[];
  /** Whether its files would be more than the disk has left. */
  readonly tooLarge: boolean;
}

/** What is asked for. */
export interface Asked {
  readonly testbed: Testbed;
  /** Null where the experiment says how many. */
  readonly repetitions: number | null;
}

type Costs = Schema<'CostsView'>;

/** What a start costs: in proportion to what was measured, else as the engine expects, if it can tell. */
export function expected({ measured, expected, free_bytes: free }: Costs, asked: Asked): Expected {
  const left = `The service’s disk has ${formatOctets(rounded(free))} left.`;
  if (measured !== null) return inProportion(measured, asked, free, left);
  if (expected !== null) return asExpected(expected, asked, free, left);
  return {
    lines: [`Time and disk are not known yet: it has not been run here this way. ${left}`],
    tooLarge: false,
  };
}

function inProportion(
  measured: NonNullable<Costs['measured']>,
  { repetitions }: Asked,
  free: number,
  left: string,
): Expected {
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

function asExpected(
  { repetitions: usual, runs, seconds, size_bytes: size }: NonNullable<Costs['expected']>,
  { testbed, repetitions }: Asked,
  free: number,
  left: string,
): Expected {
  const times = (repetitions ?? usual) / usual;
  const time = `${lengthInWords(rounded(seconds * times))} ${isLive(testbed) ? 'for one run after the other' : 'on one core'}`;
  return {
    lines: [
      `Estimated, as it has not been run here this way: ${plural(Math.round(runs * times), 'run')}, ` +
        `about ${formatOctets(rounded(size * times))} of disk and ${time}. ${left}`,
    ],
    tooLarge: size * times > free,
  };
}
