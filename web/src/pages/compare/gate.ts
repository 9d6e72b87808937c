import { metricOf, METRICS } from '../../lib/metrics';
import { optionWords, quoted } from '../../lib/run-options';

/** What a gate is asked for. */
export interface GateAsked {
  readonly experiment: string;
  /** The baseline first. */
  readonly variants: readonly string[];
  readonly testbed: string;
  readonly repetitions: number;
  readonly rule: string;
  /** Whether not decided is a failure too. */
  readonly strict: boolean;
}

/** The command that holds a build to the rule (docs/ci.md). */
export function gateCommand({ experiment, variants, testbed, repetitions, rule, strict }: GateAsked): string {
  return [
    `windlull gate ${quoted(experiment)}`,
    ...optionWords({ variants, testbed, repetitions }),
    `--fail-if ${quoted(rule.trim())}`,
    ...(strict ? ['--strict'] : []),
    '--junit gate.xml --markdown gate.md',
  ].join(' \\\n  ');
}

/** A rule to begin with: five per cent the wrong way. Counts may be zero, so that a share of them says nothing. */
export function firstRule(metric: string): string {
  const { better, unit } = metricOf(metric);
  const name = metric.replace(/_(s|bps)$/, '');
  if (better === 'higher') return `${name}.median < 0.95 * baseline`;
  return unit === 's' ? `${name}.median > 1.05 * baseline` : `${name}.mean > baseline + 1`;
}

const RULE = /^(\w+)\.(\w+)\s*(>=|<=|>|<)\s*(\S.*)$/;
const STATISTIC = /^(median|mean|q1|q3|p[1-9]\d?)$/;

/** What is wrong with a rule, and what would be right; `null` if it reads as one. The command checks its limit. */
export function ruleProblem(rule: string): string | null {
  const parts = RULE.exec(rule.trim());
  if (parts === null)
    return 'A rule is METRIC.STATISTIC RELATION LIMIT, such as elapsed.median > 1.05 * baseline';
  const [, metric, statistic, , limit] = parts;
  if (!METRICS.some(({ name }) => name === metric || name.replace(/_(s|bps)$/, '') === metric))
    return `There is no metric ${metric}; one is ${METRICS.slice(0, 3)
      .map(({ name }) => name.replace(/_(s|bps)$/, ''))
      .join(', ')} …`;
  if (statistic === 'max' || statistic === 'min')
    return 'The next run may exceed the minimum or maximum: use p95, for example';
  if (!STATISTIC.test(statistic)) return `${statistic} is not one of median, mean, q1, q3, p1 to p99`;
  if (!/^[\d.]|^baseline\b/.test(limit))
    return 'A limit is baseline, 1.05 * baseline, baseline + 2 s, or 30 s';
  return null;
}
