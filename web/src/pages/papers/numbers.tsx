import type { Schema } from '../../api/client';
import { metricOf } from '../../lib/metrics';
import { PaperTable } from '../../results/paper-table';

interface Props {
  readonly title: string;
  readonly rows: readonly Schema<'RowTold'>[];
  /** Where the paper's numbers stand. */
  readonly published: string | null;
  /** What they are of the repetitions. */
  readonly statistic: 'median' | 'mean';
}

/** The paper's table with ours below each of its numbers. */
export function Numbers({ title, rows, published, statistic }: Props) {
  const columns = rows.at(0)?.numbers ?? [];
  return (
    <PaperTable
      label={`Numbers: ${title}`}
      columns={columns.map(({ metric, label }) => ({ metric: metricOf(metric), label }))}
      rows={rows.map(({ variant, label, numbers }) => ({
        variant,
        label,
        printed: numbers.map((number) => number.published),
        ours: [...new Set(numbers.flatMap(({ ours }) => Object.keys(ours)))].map((testbed) => ({
          testbed,
          numbers: numbers.map(({ ours, spread }) => {
            if (!(testbed in ours)) return null;
            const range = testbed in spread ? spread[testbed] : null;
            return { value: ours[testbed], range: range && { low: range.q1, high: range.q3 } };
          }),
        })),
      }))}
      source={published ?? ''}
      statistic={statistic}
      ranges="quartiles"
    />
  );
}
