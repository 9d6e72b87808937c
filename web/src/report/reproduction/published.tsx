import { averageOf, SIMULATED } from '../../results/model';
import { PaperTable } from '../../results/paper-table';
import type { Report } from '../../series/report';
import { metricOf } from '../values';

/** The paper's table with ours in it, each number of ours with its 95 % interval. */
export function Published({ report }: { readonly report: Report }) {
  const { published } = report.experiment;
  if (!published) return null;
  const statistic = averageOf({ published });
  return (
    <PaperTable
      label="Published and ours"
      columns={published.columns.map(({ metric, label }) => ({ metric: metricOf(report, metric), label }))}
      rows={published.rows.map(({ variant, label, link, values }) => {
        const cell = report.cells.find((one) => one.variant === variant && one.link === link);
        const numbers = published.columns.map(({ metric }) => {
          const summary = cell?.metrics[metric];
          if (!summary) return null;
          const range = report.intervals.find(
            (one) => one.variant === variant && one.link === link && one.metric === metric,
          );
          return { value: summary[statistic], range: range ?? null };
        });
        return { variant, label, printed: values, ours: [{ testbed: cell?.testbed ?? SIMULATED, numbers }] };
      })}
      source={published.source}
      statistic={statistic}
      ranges="its 95 % interval"
    />
  );
}
