import { formatMetric, type Metric } from '../lib/metric';
import { Table } from './table';
import { TestbedTag } from './testbed-tag';

/** What our runs of a row gave in one testbed; `null` where a column was not measured. */
interface Ours {
  readonly testbed: string;
  readonly numbers: readonly ({
    readonly value: number;
    /** Its quartiles, or its 95 % interval. */
    readonly range: { readonly low: number; readonly high: number } | null;
  } | null)[];
}

/** A row of a paper's table and ours of it. */
export interface PaperRow {
  readonly variant: string;
  readonly label: string;
  /** By column; `null` where the paper gives none. */
  readonly printed: readonly (number | null)[];
  readonly ours: readonly Ours[];
}

interface Props {
  readonly label: string;
  readonly columns: readonly { readonly metric: Metric; readonly label: string }[];
  readonly rows: readonly PaperRow[];
  /** Where the paper's numbers stand. */
  readonly source: string;
  readonly statistic: 'median' | 'mean';
  /** What the ranges below ours are: `quartiles`. */
  readonly ranges: string;
}

/** The paper's table with ours in it: below each number ours, how far it is from it, and its range. */
export function PaperTable({ label, columns, rows, source, statistic, ranges }: Props) {
  const testbeds = [...new Set(rows.flatMap(({ ours }) => ours.map(({ testbed }) => testbed)))];
  return (
    <Table
      className="beside"
      label={label}
      caption={
        <>
          <b>Published and ours.</b> {source === '' ? '' : `${source}; `}ours below, as {statistic}s of our
          runs, with the distance and {ranges}.
        </>
      }
      columns={[{ name: 'Variant' }, ...columns.map((column) => ({ name: column.label }))]}
    >
      {rows.map((row) => (
        <tbody key={`${row.variant} ${row.label}`}>
          <tr className="printed">
            <th scope="row">{row.label}</th>
            {row.printed.map((value, i) => (
              <td key={i}>{value ?? 'not given'}</td>
            ))}
          </tr>
          {(row.ours.length === 0 ? [null] : row.ours).map((ours) => (
            <tr key={ours?.testbed ?? ''} className="ours">
              <th scope="row">
                <code>{row.variant}</code>
                {ours && <TestbedTag testbed={ours.testbed} among={testbeds} />}
              </th>
              {columns.map(({ metric }, i) => (
                <Number
                  key={metric.name}
                  {...{ metric, statistic }}
                  printed={row.printed[i]}
                  ours={ours?.numbers[i]}
                />
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </Table>
  );
}

interface NumberProps {
  readonly metric: Metric;
  readonly statistic: 'median' | 'mean';
  readonly printed: number | null | undefined;
  readonly ours: Ours['numbers'][number] | undefined;
}

function Number({ metric, statistic, printed, ours }: NumberProps) {
  if (ours === null || ours === undefined) return <td className="none">not run</td>;
  // A mean of counts is no count.
  const say = (value: number) =>
    statistic === 'mean' && metric.digits === 0 && Math.abs(value) < 1000
      ? value.toFixed(2)
      : formatMetric(value, metric);
  return (
    <td>
      {say(ours.value)}
      <span className="spread">{distanceOf(ours.value, printed)}</span>
      {ours.range && (
        <span className="spread">
          {say(ours.range.low)} to {say(ours.range.high)}
        </span>
      )}
    </td>
  );
}

/** How far ours is from the published number, as `+4 %`; empty where there is none to compare with. */
export function distanceOf(ours: number, published: number | null | undefined): string {
  if (published === null || published === undefined || published === 0) return '';
  const percent = Math.round(100 * (ours / published - 1));
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
