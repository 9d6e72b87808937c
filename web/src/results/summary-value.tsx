import { formatMetric, metricLabel } from '../lib/metric';
import { averageOf, spreadInWords, type Cell, type Results } from './model';

/** Which metric of which cell. */
export interface ValueProps {
  readonly results: Results;
  readonly cell: Cell;
  readonly metric: string;
}

/** One metric of a cell: what stands for its repetitions, and its quartiles. */
export function Value({ results, cell, metric: name }: ValueProps) {
  const spread = cell.metrics[name];
  const metric = results.metricOf(name);
  if (!spread) {
    return (
      <td className="none" title="not measured in any run of this cell">
        –
      </td>
    );
  }
  const say = (value: number) => formatMetric(value, metric);
  return (
    <td title={`${metricLabel(metric)}: ${spreadInWords(spread, metric)}`}>
      {say(spread[averageOf(results)])}
      {spread.values.length > 1 && (
        <span className="spread">
          {say(spread.q1)}–{say(spread.q3)}
        </span>
      )}
    </td>
  );
}

/** How many runs of a cell count, and how many do not. */
export function Runs({ results, cell }: Omit<ValueProps, 'metric'>) {
  const { invalid = 0, unfinished = 0 } = cell;
  const left = [[invalid, 'are not valid'] as const, [unfinished, 'did not end in order'] as const].map(
    ([count, why]) => (count === 0 ? '' : `; ${count} more ${why} and are excluded`),
  );
  return (
    <td title={`${averageOf(results)}s of ${cell.runs} runs${left.join('')}`}>
      {cell.runs}
      {invalid > 0 && <span className="invalid"> +{invalid} not valid</span>}
      {unfinished > 0 && <span className="invalid"> +{unfinished} not ended in order</span>}
    </td>
  );
}
