import { madeBy } from '../lib/made-by';
import { unknownMetric, type Metric } from '../lib/metric';
import { hasLive, titleIn, type Results } from '../results/model';
import type { Report, RunEntry } from '../series/report';

/** A metric as the report describes it: those of single flows are in no table but there. */
export function metricOf(report: Report, name: string): Metric {
  return { ...unknownMetric(name), ...report.labels[name] };
}

/** What of a report its tables and figures of results show. */
export function resultsOf(report: Report): Results {
  const { variants, links, repetitions, published } = report.experiment;
  return {
    cells: report.cells,
    testbeds: report.testbeds,
    variants,
    links,
    repetitions,
    published,
    differences: report.differences,
    metricOf: (name) => metricOf(report, name),
    order: Object.keys(report.labels),
  };
}

/** What a variant is called. */
export function variantTitle(report: Report, variant: string): string {
  return titleIn(report.experiment.variants, variant);
}

/** What a link is called. */
export function linkTitle(report: Report, link: string): string {
  return titleIn(report.experiment.links, link);
}

/** What a run is called: its variant, and its link where there are several. */
export function runTitle(report: Report, { variant, link }: Pick<RunEntry, 'variant' | 'link'>): string {
  const title = variantTitle(report, variant);
  return report.experiment.links.length > 1 ? `${title}, ${linkTitle(report, link)}` : title;
}

/** Where a figure of a run comes from. */
export function provenanceOf({ experiment, testbeds }: Report, run: RunEntry): string {
  const testbed = hasLive(testbeds) ? `, testbed ${run.testbed}` : '';
  return `${madeBy(experiment)}, experiment ${experiment.name}, ${run.variant} on ${run.link}${testbed}, repetition ${run.repetition}, seed ${run.seed}`;
}
