import known from '../../../controller/windlull/metrics.json';
import { inOrderOf, unknownMetric, type Metric } from './metric';

export * from './metric';

/** All metrics in the order in which they are written everywhere, from the engine's table. */
export const METRICS: readonly Metric[] = known.metrics.map((metric) => ({
  ...metric,
  better: metric.better === 'lower' || metric.better === 'higher' ? metric.better : null,
}));

const BY_NAME = new Map(METRICS.map((metric) => [metric.name, metric]));

/** The metric of a name; one of a newer engine is called by its name. */
export function metricOf(name: string): Metric {
  return BY_NAME.get(name) ?? unknownMetric(name);
}

export const METRIC_NAMES: readonly string[] = METRICS.map(({ name }) => name);

/** Names of metrics in the usual order, unknown ones last. */
export function inOrder(names: Iterable<string>): string[] {
  return inOrderOf(METRIC_NAMES, names);
}
