import { metricLabel, type Metric } from '../lib/metric';
import { Facts } from './facts';
import { summaryMetrics, type Results } from './model';

/** What each column of a summary counts, in words that do not need a pointer. */
export function Definitions({ results, all }: { readonly results: Results; readonly all: boolean }) {
  const known = summaryMetrics(results, all)
    .map(results.metricOf)
    .filter(({ definition }) => definition !== '');
  if (known.length === 0) return null;
  return (
    <details className="definitions">
      <summary>What the columns count</summary>
      <Facts facts={known.map((metric) => [metricLabel(metric), definitionOf(metric)])} />
    </details>
  );
}

function definitionOf({ definition, better }: Metric): string {
  const wanted = better === null ? '' : ` ${better === 'lower' ? 'Lower' : 'Higher'} is better.`;
  return `${definition}${wanted}`.trim();
}
