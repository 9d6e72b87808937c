import type { Schema } from '../../api/client';
import { groupThousands } from '../../lib/format';
import { metricLabel, metricOf, metricTitle } from '../../lib/metrics';

type Search = Pick<Schema<'SearchView'>, 'state' | 'tried' | 'budget' | 'worst' | 'against' | 'by' | 'found'>;

/** What the values of a search are: `Elapsed time (s)`, `Elapsed time, ratio to sack`. */
export function valueTitle({ worst, against, by }: Pick<Search, 'worst' | 'against' | 'by'>): string {
  const metric = metricOf(worst);
  if (against === null || by === null || by === 'value') return metricTitle(metric);
  if (by === 'ratio') return `${metricLabel(metric)}, ratio to ${against}`;
  return `${metricTitle(metric)}, difference to ${against}`;
}

/** A value with as many digits as people compare. */
export function valueInWords(value: number): string {
  return Math.abs(value) >= 10_000 ? groupThousands(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** What a search does now, or what became of it. */
export function howFar({ state, tried, budget, found }: Search): string {
  const simpler = Math.max(0, tried - budget);
  switch (state) {
    case 'waiting':
      return tried === 0
        ? 'It begins when no other search runs and there is room.'
        : `It goes on when no other search runs and there is room; ${groupThousands(tried)} links are known already.`;
    case 'running':
      return simpler === 0
        ? 'It tries links. The page updates by itself.'
        : `It makes what it found simpler, and runs it on fresh seeds: ${groupThousands(simpler)} links tried for that.`;
    case 'stopping':
      return 'It stops when the runs that it has are done.';
    case 'stopped':
      return 'It was stopped. What it has tried stays: it can go on.';
    case 'failed':
      return 'What it has tried stays: it can go on once the reason is gone.';
    case 'done':
      return found.length === 0
        ? 'It is done, and no link was so much worse than the base link that it counts as a failure.'
        : `It is done: ${found.length === 1 ? 'one kind' : `${found.length} kinds`} of failure.`;
  }
}

/** On how many fresh seeds a finding failed again, with the interval of that share. */
export function confirmedInWords({
  failed,
  runs,
  interval,
}: Pick<Schema<'FoundView'>, 'failed' | 'runs' | 'interval'>): string {
  if (interval === null) return 'nothing is random on this link: every run is the same';
  const [low, high] = interval.map((share) => `${(100 * share).toFixed(0)} %`);
  return `it failed again on ${failed} of ${runs} fresh seeds (95 %: ${low} to ${high})`;
}
