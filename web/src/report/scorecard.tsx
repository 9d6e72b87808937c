import type { Cell, Report } from '../series/report';
import { GroupRow, Table, type Column } from './table';
import { TestbedTag } from './testbed-tag';
import { cellKey, cellsByLink, formatValue, labelOf, linkTitle, spreadInWords, variantTitle } from './values';

const COUNTS = [
  'detector_true_positives',
  'detector_false_negatives',
  'detector_true_negatives',
  'detector_false_positives',
  'detector_undecided',
] as const;

const COLUMNS: readonly Column[] = [
  { name: 'Variant' },
  { name: 'Caught', title: 'true positives: spurious, and said so' },
  { name: 'Missed', title: 'false negatives: spurious, and not said so' },
  { name: 'Respected', title: 'true negatives: genuine, and treated so' },
  { name: 'Mistaken', title: 'false positives: genuine, and called spurious' },
  { name: 'Undecided', title: 'the detector gave up; counted as missed where spurious' },
  { name: 'Delay (s)', title: "from the timeout to the detector's answer: median of the runs' medians" },
  {
    name: (
      <>
        <Key kind="tp" word="caught" /> <Key kind="fn" word="missed" /> <Key kind="tn" word="respected" />{' '}
        <Key kind="fp" word="mistaken" />
      </>
    ),
    className: 'bar-head',
  },
  {
    name: 'Fast, spurious',
    title:
      'fast retransmits of segments that were not lost, of all fast retransmits; detectors judge timeouts alone',
  },
];

/** How often each variant's detector was right about its timeouts, over all runs. */
export function Scorecard({ report }: { readonly report: Report }) {
  const groups = cellsByLink(report);
  const known = report.cells.some((cell) => cell.metrics.has('detector_true_positives'));
  if (!known) return null;
  const ours = new Set(report.experiment.variants.filter((one) => !one.kernel).map((one) => one.name));
  const most = Math.max(
    1,
    ...report.cells.filter((cell) => ours.has(cell.variant)).map((cell) => timeouts(cell)),
  );
  return (
    <section id="detection">
      <h2>Detection of spurious timeouts</h2>
      <Table
        className="scores"
        caption={
          <>
            <b>Scorecard.</b> What each variant’s detector said of its timeouts, all runs together, against
            what happened on the link. A variant without a detector misses every spurious timeout.
          </>
        }
        columns={COLUMNS}
      >
        {groups.map(({ link, cells }) => (
          <tbody key={link}>
            {groups.length > 1 && <GroupRow columns={COLUMNS.length}>{linkTitle(report, link)}</GroupRow>}
            {cells.map((cell) => (
              <Row key={cellKey(cell)} report={report} cell={cell} most={most} />
            ))}
          </tbody>
        ))}
      </Table>
    </section>
  );
}

function Key({ kind, word }: { readonly kind: string; readonly word: string }) {
  return (
    <span className="key">
      <i data-kind={kind} /> {word}
    </span>
  );
}

function Row({
  report,
  cell,
  most,
}: {
  readonly report: Report;
  readonly cell: Cell;
  readonly most: number;
}) {
  if (report.experiment.variants.some((variant) => variant.name === cell.variant && variant.kernel)) {
    return (
      <tr>
        <th scope="row">
          {variantTitle(report, cell.variant)}
          <TestbedTag report={report} testbed={cell.testbed} />
        </th>
        <td className="none words" colSpan={COLUMNS.length - 1}>
          the kernel does not tell what its detector says
        </td>
      </tr>
    );
  }
  const [tp, fn, tn, fp, undecided] = COUNTS.map((metric) => total(cell, metric));
  const delay = cell.metrics.get('detection_delay_s');
  const label = labelOf(report, 'detection_delay_s');
  const share = (count: number) => ({ width: `${(count / most) * 100}%` });
  return (
    <tr>
      <th scope="row">
        {variantTitle(report, cell.variant)}
        <TestbedTag report={report} testbed={cell.testbed} />
      </th>
      <td>{tp}</td>
      <td>{fn}</td>
      <td>{tn}</td>
      <td>{fp}</td>
      <td>{undecided}</td>
      {delay ? (
        <td title={spreadInWords(delay, label)}>{formatValue(delay.median, label)}</td>
      ) : (
        <td className="none" title="no answer in any run">
          –
        </td>
      )}
      <td className="bar">
        <span aria-hidden="true">
          <i data-kind="tp" style={share(tp)} />
          <i data-kind="fn" style={share(fn)} />
          <i data-kind="tn" style={share(tn)} />
          <i data-kind="fp" style={share(fp)} />
        </span>
      </td>
      <td>
        {total(cell, 'spurious_fast_retransmits')} of {total(cell, 'fast_retransmits')}
      </td>
    </tr>
  );
}

function total(cell: Cell, metric: string): number {
  return cell.metrics.get(metric)?.values.reduce((sum, value) => sum + value, 0) ?? 0;
}

function timeouts(cell: Cell): number {
  return COUNTS.slice(0, 4).reduce((sum, metric) => sum + total(cell, metric), 0);
}
