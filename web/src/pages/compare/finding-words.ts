import { metricOf, metricInWords } from '../../lib/metrics';
import { plural } from '../../lib/format';
import type { Schema } from '../../api/client';

type Finding = Schema<'Finding'>;
type Estimate = Schema<'IntervalEstimate'>;
type RunsNeeded = Schema<'Runs'>;

/** Of fewer runs none can tell a difference from chance. */
const FEWEST = 6;

/** A ratio as a change: `−10.9 %`. */
export function changeInWords(ratio: number): string {
  const percent = (ratio - 1) * 100;
  const text = Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0);
  return Number(text) === 0 ? `${text} %` : `${percent < 0 ? '−' : '+'}${text} %`;
}

/** The interval of a change: `−18 to −2.1 %`; `null` where there is none. */
export function intervalInWords({ low, high }: Estimate): string | null {
  return low === null || high === null ? null : `${changeInWords(low)} to ${changeInWords(high)}`;
}

/** What the column of changes holds: of pairs the median of their changes, else how the median of all runs changed. */
export function changeTitle(findings: readonly Pick<Finding, 'paired'>[], confidence: number): string {
  const what = findings.some(({ paired }) => paired)
    ? 'Median of the pairs’ changes'
    : 'Change of the median';
  return `${what} (${confidence * 100} % interval)`;
}

/** How far the candidate is from the baseline, in one line. */
export function distanceInWords({ ratio, difference, metric }: Finding): string {
  if (ratio !== null) return changeInWords(ratio.value);
  if (difference === null) return 'not known';
  const about = metricOf(metric);
  const size = metricInWords(Math.abs(difference.value), about);
  if (difference.value === 0) return 'none';
  return `${difference.value < 0 ? '−' : '+'}${size}`;
}

/** How many runs would decide, a sentence for each way in which they may. */
export function neededInWords({ needed }: Finding, margin: number): readonly string[] {
  if (needed === null) return [];
  return [
    ...(needed.seen === null
      ? []
      : [`${runsInWords(needed.seen)} would show the difference seen, if it is real`]),
    ...(needed.margin === null
      ? []
      : [
          `${runsInWords(needed.margin)} would show that there is none beyond ${(margin * 100).toFixed(0)} %, if there is none`,
        ]),
  ];
}

/** The number of runs to queue: what shows the difference seen, else what shows that there is none. */
export function runsToQueue({ needed }: Finding): number | null {
  return needed?.seen?.runs ?? needed?.margin?.runs ?? null;
}

function runsInWords({ runs, low, high }: RunsNeeded): string {
  const range =
    low === runs && high === runs ? '' : high === null ? ` (${low} or many more)` : ` (${low} to ${high})`;
  return `${plural(runs, 'run')}${range} of each`;
}

/** What more repetitions tell where several links are compared and something is open, as `windlull compare` says it; nothing where not. */
export function linksInWords(findings: readonly Pick<Finding, 'link' | 'verdict'>[]): string {
  const links = new Set(findings.map(({ link }) => link)).size;
  if (links < 2 || !findings.some(({ verdict }) => verdict === 'inconclusive')) return '';
  return `Each of ${links} links is decided by its own runs: more repetitions say more about these links; only more links say anything about others.`;
}

/** Why there are fewer tests than rows, in a sentence; nothing where each row has one. `shown` of the rows are on the page. */
export function untestedInWords(findings: readonly Finding[], shown: number): string {
  const untested = findings.filter(({ p }) => p === null);
  if (untested.length === 0) return '';
  const settled = untested.filter(({ runs, unseen }) => runs > 0 && unseen === null).length;
  const few = untested.filter(({ runs, unseen }) => runs < FEWEST && !(runs > 0 && unseen === null)).length;
  const same = untested.length - settled - few;
  const why = [
    ...(settled > 0 ? [`in ${plural(settled, 'row')} nothing is random, and one run tells all`] : []),
    ...(same > 0 ? [`in ${plural(same, 'row')} every run is the same on both sides`] : []),
    ...(few > 0 ? [`in ${plural(few, 'row')} there are too few runs`] : []),
  ];
  const rows = `${plural(findings.length, 'row')}${shown < findings.length ? ', those of other links included,' : ''}`;
  return `${findings.length - untested.length} of ${rows} have a test: ${why.join(', ')}.`;
}
