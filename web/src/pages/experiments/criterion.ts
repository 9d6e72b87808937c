import type { Schema } from '../../api/client';
import { metricOf } from '../../lib/metrics';

type Claim = Schema<'Claim'>;

/** How a claim is decided: `median unnecessary retransmissions: frto+sack < 0.5 × sack`. */
export function criterionOf(
  claim: Pick<Claim, 'statistic' | 'metric' | 'left' | 'relation'> & Partial<Claim>,
): string {
  const { statistic, metric, left, relation, factor = 1, right, value, tolerance } = claim;
  const times = factor === 1 ? '' : `${factor} × `;
  const near = typeof tolerance === 'number' ? ` by ${Number((tolerance * 100).toPrecision(3))} %` : '';
  return `${statistic} ${metricOf(metric).label}: ${left} ${relation} ${times}${right ?? value ?? ''}${near}`;
}
