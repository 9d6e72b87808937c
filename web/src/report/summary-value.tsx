import type { Cell, Report } from '../series/report';
import { averageOf, formatValue, labelOf, spreadInWords } from './values';

/** Which metric of which cell. */
export interface ValueProps {
  readonly report: Report;
  readonly cell: Cell;
  readonly metric: string;
}

/** One metric of a cell: what stands for its repetitions and, if asked for, its quartiles. */
export function Value({ report, cell, metric, spread }: ValueProps & { readonly spread: boolean }) {
  const summary = cell.metrics.get(metric);
  const label = labelOf(report, metric);
  if (!summary) {
    return (
      <td className="none" title="not measured in any run of this cell">
        –
      </td>
    );
  }
  return (
    <td title={`${label.label}: ${spreadInWords(summary, label)}`}>
      {formatValue(summary[averageOf(report)], label)}
      {spread && (
        <span className="spread">
          {formatValue(summary.q1, label)}–{formatValue(summary.q3, label)}
        </span>
      )}
    </td>
  );
}
