import type { Report } from '../../series/report';
import { Table } from '../table';
import { averageOf, formatValue, labelOf } from '../values';

/** The paper's table with ours in it: beside each number its own of our runs, with its 95 % interval. */
export function PaperTable({ report }: { readonly report: Report }) {
  const { published } = report.experiment;
  if (published === null) return null;
  const average = averageOf(report);
  const link = report.experiment.links.at(0)?.name;
  return (
    <Table
      className="beside"
      caption={
        <>
          <b>Published and ours.</b> {published.source}; ours below, as {average}s of{' '}
          {report.experiment.repetitions} with the distance and their 95 % intervals.
        </>
      }
      columns={[{ name: '' }, ...published.columns.map((column) => ({ name: column.label }))]}
    >
      {published.rows.map((row) => {
        const cell = report.cells.find(
          (one) => one.variant === row.variant && one.link === (row.link ?? link),
        );
        return (
          <tbody key={row.variant}>
            <tr className="printed">
              <th scope="row">{row.label}</th>
              {row.values.map((value, i) => (
                <td key={i}>{value ?? '–'}</td>
              ))}
            </tr>
            <tr className="ours">
              <th scope="row">
                <code>{row.variant}</code>
              </th>
              {published.columns.map(({ metric }, i) => {
                const summary = cell?.metrics.get(metric);
                const label = labelOf(report, metric);
                const sure = report.intervals.find(
                  (one) => one.variant === row.variant && one.link === cell?.link && one.metric === metric,
                );
                // A mean of counts is no count.
                const say = (value: number) =>
                  average === 'mean' && label.digits === 0 && Math.abs(value) < 1000
                    ? value.toFixed(2)
                    : formatValue(value, label);
                const ours = summary && (average === 'mean' ? summary.mean : summary.median);
                return (
                  <td key={metric}>
                    {ours === undefined ? '–' : say(ours)}
                    {ours !== undefined && <span className="spread">{distanceOf(ours, row.values[i])}</span>}
                    {sure && (
                      <span className="spread">
                        {say(sure.low)} to {say(sure.high)}
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          </tbody>
        );
      })}
    </Table>
  );
}

/** How far ours is from the published number, as `+4 %`; empty where there is none to compare with. */
export function distanceOf(ours: number, published: number | null | undefined): string {
  if (published === null || published === undefined || published === 0) return '';
  const percent = Math.round(100 * (ours / published - 1));
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
