import { ns } from '../lib/brand';
import { formatInstant, formatTime } from '../lib/format';
import type { Viewport } from '../lib/viewport';
import { answerIsRight, answerOf, truthInWords, truthTone } from '../series/explain';
import type { Series } from '../series/types';
import { reasonInWords } from '../series/words';
import { Table, type Column } from '../results/table';

interface Props {
  readonly series: Series;
  readonly onView: (view: Viewport) => void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Timeout' },
  { name: 'At' },
  { name: 'RTO' },
  { name: 'Verdict', className: 'words' },
  { name: 'Detector', className: 'words' },
];

/** Every timeout of a run with its verdict and the detector's answer; a click shows it in the diagram. */
export function TimeoutsTable({ series, onView }: Props) {
  const { timeouts, names } = series;
  if (timeouts.length === 0) return null;
  const rows = Array.from({ length: timeouts.length }, (_, i) => i);
  return (
    <Table className="timeouts" label="Timeouts" columns={COLUMNS}>
      <tbody>
        {rows.map((i) => {
          const truth = timeouts.verdict[i];
          const answer = answerOf(names.answer, timeouts.answer, i);
          const right = answerIsRight(truth, answer);
          const after =
            timeouts.answered[i] >= 0 ? ` after ${formatTime(timeouts.answered[i] - timeouts.t[i], 2)}` : '';
          return (
            <tr key={i}>
              <th scope="row">
                <button
                  type="button"
                  className="link"
                  title="Show it in the diagram"
                  onClick={() => onView(around(series, i))}
                >
                  {timeouts.ordinal[i]}
                </button>
              </th>
              <td>{formatInstant(timeouts.t[i])}</td>
              <td>{formatTime(timeouts.rto[i], 2)}</td>
              <td className="words">
                <b data-tone={truthTone(truth)}>{truthInWords(truth)}</b>
                {timeouts.reason[i] >= 0 && `: ${reasonInWords(names.reason[timeouts.reason[i]])}`}
              </td>
              <td className="words">
                {answer === null ? '–' : `${answer}${after}`}
                {right !== null && (right ? ' ✓' : ' ✗ wrong')}
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

/** A view that shows what led to a timeout and what came of it. */
function around(series: Series, i: number): Viewport {
  const { t, rto, answered } = series.timeouts;
  const before = Math.min(rto[i] + 2e9, Math.max(1.2 * rto[i], 0.05 * series.duration));
  const after = Math.max(answered[i] >= 0 ? 1.5 * (answered[i] - t[i]) : 0, before);
  return { t0: ns(t[i] - before), t1: ns(t[i] + after), y: null };
}
