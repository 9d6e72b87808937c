import { formatMetric } from '../lib/metric';
import { cellKey, cellsByLink, spreadInWords, titleIn, type Cell, type Results } from './model';
import { GroupRow, Table, type Column } from './table';
import { TestbedTag } from './testbed-tag';

/** What a detector may have said of a timeout, against what happened: the metric that counts it, word and meaning. */
const ANSWERS = [
  ['tp', 'detector_true_positives', 'Caught', 'spurious, and detected'],
  ['fn', 'detector_false_negatives', 'Missed', 'spurious, and not detected'],
  ['tn', 'detector_true_negatives', 'Respected', 'genuine, and treated as genuine'],
  ['fp', 'detector_false_positives', 'Mistaken', 'genuine, and called spurious'],
] as const;

const COLUMNS: readonly Column[] = [
  { name: 'Variant' },
  ...ANSWERS.map(([, , name, title]) => ({ name, title })),
  { name: 'Undecided', title: 'the detector gave up; counted as missed where spurious' },
  { name: 'Delay (s)', title: "from the timeout to the detector's answer: median of the runs' medians" },
  {
    name: ANSWERS.map(([kind, , name]) => (
      <span key={kind} className="key">
        <i data-kind={kind} /> {name.toLowerCase()}
      </span>
    )),
    className: 'bar-head',
  },
  {
    name: 'Fast, spurious',
    title: 'fast retransmits of segments that were not lost, of all fast retransmits',
  },
];

/** Whether any run was asked what its detector says. */
export function hasScores({ cells }: Results): boolean {
  return cells.some(({ metrics }) => 'detector_true_positives' in metrics);
}

/** How often each variant's detector was right about its timeouts, over all runs. */
export function Scorecard({ results }: { readonly results: Results }) {
  const groups = cellsByLink(results);
  const most = mostTimeouts(results.cells);
  return (
    <Table
      className="scores"
      label="Scorecard of detectors"
      caption={
        <>
          <b>Scorecard.</b> What each variant’s detector said about its timeouts, over all runs, against what
          happened on the link. A variant without a detector misses every spurious timeout, and no detector
          judges the timeout of a SYN. Detectors judge only timeouts; which fast retransmits were spurious
          follows from the link. Linux says “spurious” where it counts that it took a recovery back.
        </>
      }
      columns={COLUMNS}
    >
      {groups.map(({ link, cells }) => (
        <tbody key={link}>
          {groups.length > 1 && <GroupRow columns={COLUMNS.length}>{titleIn(results.links, link)}</GroupRow>}
          {cells.map((cell) => (
            <tr key={cellKey(cell)}>
              <th scope="row">
                {titleIn(results.variants, cell.variant)}
                <TestbedTag testbed={cell.testbed} among={results.testbeds} />
              </th>
              <Score results={results} cell={cell} most={most} />
            </tr>
          ))}
        </tbody>
      ))}
    </Table>
  );
}

interface ScoreProps {
  readonly results: Results;
  readonly cell: Cell;
  /** The most timeouts that any variant had: all bars have one scale. */
  readonly most: number;
}

function Score({ results, cell, most }: ScoreProps) {
  if (!('detector_true_positives' in cell.metrics)) {
    return (
      <td className="none words" colSpan={COLUMNS.length - 1}>
        not measured
      </td>
    );
  }
  const delay = cell.metrics['detection_delay_s'];
  const metric = results.metricOf('detection_delay_s');
  return (
    <>
      {ANSWERS.map(([kind, counted]) => (
        <td key={kind}>{total(cell, counted)}</td>
      ))}
      <td>{total(cell, 'detector_undecided')}</td>
      {delay ? (
        <td title={spreadInWords(delay, metric)}>{formatMetric(delay.median, metric)}</td>
      ) : (
        <td className="none" title="no answer in any run">
          –
        </td>
      )}
      <td className="bar">
        <span aria-hidden="true">
          {ANSWERS.map(([kind, counted]) => (
            <i key={kind} data-kind={kind} style={{ width: `${(total(cell, counted) / most) * 100}%` }} />
          ))}
        </span>
      </td>
      <td>
        {total(cell, 'spurious_fast_retransmits')} of {total(cell, 'fast_retransmits')}
      </td>
    </>
  );
}

/** The most timeouts that any of these cells had in all its runs: what the bars of all are measured by. */
export function mostTimeouts(cells: readonly Pick<Cell, 'metrics'>[]): number {
  const timeouts = (cell: Pick<Cell, 'metrics'>) =>
    ANSWERS.reduce((sum, [, counted]) => sum + total(cell, counted), 0);
  return Math.max(1, ...cells.map(timeouts));
}

function total({ metrics }: Pick<Cell, 'metrics'>, metric: string): number {
  return metrics[metric]?.values.reduce((sum, value) => sum + value, 0) ?? 0;
}
