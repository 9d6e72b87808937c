import { useRef, useState, type KeyboardEvent, type RefObject } from 'react';

import { lowerBound, upperBound } from '../lib/search';
import type { Report, RunEntry } from '../series/report';
import { formatMetric, metricLabel, metricTitle } from '../lib/metric';
import { Choice } from '../results/choice';
import { allMetrics, cellKey, hasLive, testbedTitle } from '../results/model';
import { TestbedTag } from '../results/testbed-tag';
import { linkTitle, metricOf, resultsOf, variantTitle } from './values';

interface Props {
  readonly report: Report;
  readonly selected: RunEntry | null;
  /** The run beside the selected one. */
  readonly other: RunEntry | null;
  readonly onSelect: (key: string) => void;
}

/** All runs as a grid, variants (in each testbed) by repetitions, shaded by a metric. A click on a variant's name sorts by it. */
export function RunPicker(props: Props) {
  const { report, selected } = props;
  const links = [...new Set(report.runs.map((run) => run.link))];
  const [metric, setMetric] = useState('elapsed_s');
  const [sortBy, setSortBy] = useState<string | null>(null);
  const [otherLink, setLink] = useState<string | null>(null);
  const table = useRef<HTMLTableElement>(null);
  const link = otherLink ?? selected?.link ?? links.at(0) ?? '';
  const grid = gridOf(report, link, metric, sortBy);
  return (
    <div className="picker">
      <Options
        report={report}
        links={links}
        link={link}
        onLink={setLink}
        metric={metric}
        onMetric={setMetric}
        values={grid.values}
        sortedBy={sortBy === null ? null : nameOf(report, grid, sortBy)}
        onUnsorted={() => setSortBy(null)}
      />
      <div className="wide">
        <table
          ref={table}
          className="grid"
          aria-label={`Runs, shaded by ${metricTitle(metricOf(report, metric))}`}
        >
          <thead>
            <tr>
              <th scope="col">
                <span className="hint">click a name to sort</span>
              </th>
              {grid.repetitions.map((repetition) => (
                <th key={repetition} scope="col">
                  {repetition}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {grid.rows.map((row) => (
              <Row
                key={cellKey(row)}
                {...props}
                {...{ grid, metric, row, table }}
                sorts={sortBy === cellKey(row)}
                onSort={() => setSortBy(sortBy === cellKey(row) ? null : cellKey(row))}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The runs of a link by variant, in each testbed, and repetition. */
interface Grid {
  readonly runs: readonly RunEntry[];
  readonly rows: readonly { readonly variant: string; readonly testbed: string }[];
  /** In the order in which they are shown. */
  readonly repetitions: readonly number[];
  readonly at: (row: string, repetition: number) => RunEntry | undefined;
  /** The metric of a run that counts. */
  readonly value: (run: RunEntry | undefined) => number | undefined;
  /** Those of all runs, ascending. */
  readonly values: readonly number[];
}

function gridOf(report: Report, link: string, metric: string, sortBy: string | null): Grid {
  const runs = report.runs.filter((run) => run.link === link);
  const rows = report.experiment.variants
    .flatMap(({ name }) => report.testbeds.map((testbed) => ({ variant: name, testbed })))
    .filter((row) => runs.some((run) => cellKey(run) === cellKey(row)));
  const at = (row: string, repetition: number) =>
    runs.find((run) => cellKey(run) === row && run.repetition === repetition);
  const value = (run: RunEntry | undefined) =>
    run?.certificate?.valid === false ? undefined : run?.metrics[metric];
  const repetitions = [...new Set(runs.map((run) => run.repetition))].sort((a, b) => a - b);
  if (sortBy !== null) {
    repetitions.sort((a, b) => (value(at(sortBy, a)) ?? Infinity) - (value(at(sortBy, b)) ?? Infinity));
  }
  const values = runs.flatMap((run) => value(run) ?? []).sort((a, b) => a - b);
  return { runs, rows, repetitions, at, value, values };
}

function nameOf(report: Report, { rows }: Grid, key: string): string {
  const row = rows.find((one) => cellKey(one) === key);
  if (!row) return key;
  const title = variantTitle(report, row.variant);
  return hasLive(report.testbeds) ? `${title}, ${testbedTitle(row.testbed)}` : title;
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

interface RowProps extends Props {
  readonly grid: Grid;
  readonly metric: string;
  readonly row: Grid['rows'][number];
  readonly table: RefObject<HTMLTableElement | null>;
  readonly sorts: boolean;
  readonly onSort: () => void;
}

function Row({ report, selected, other, onSelect, grid, metric, row, table, sorts, onSort }: RowProps) {
  const key = cellKey(row);
  const step = (event: KeyboardEvent, repetition: number) => {
    const move = event.key in MOVES ? MOVES[event.key] : null;
    if (!move) return;
    event.preventDefault();
    const below = grid.rows.at(Math.max(0, grid.rows.indexOf(row) + move[0]));
    const column = grid.repetitions.indexOf(repetition) + move[1];
    const next = below && grid.at(cellKey(below), grid.repetitions[column] ?? -1);
    if (next) {
      onSelect(next.key);
      table.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`)?.focus();
    }
  };
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          title={`Sort the repetitions by ${metricOf(report, metric).label.toLowerCase()} of this variant`}
          aria-pressed={sorts}
          onClick={onSort}
        >
          {variantTitle(report, row.variant)}
          {sorts && ' →'}
        </button>
        <TestbedTag testbed={row.testbed} among={report.testbeds} />
      </th>
      {grid.repetitions.map((repetition) => {
        const run = grid.at(key, repetition);
        return (
          <td key={repetition}>
            {run && (
              <RunButton
                run={run}
                title={runTitle(report, run, metric)}
                shade={shade(grid.value(run), grid.values)}
                current={run.key === selected?.key}
                compared={run.key === other?.key}
                reachable={run.key === (selected?.key ?? grid.runs[0]?.key)}
                onSelect={onSelect}
                onKeyDown={(event) => step(event, repetition)}
              />
            )}
          </td>
        );
      })}
    </tr>
  );
}

interface OptionsProps {
  readonly report: Report;
  readonly links: readonly string[];
  readonly link: string;
  readonly onLink: (link: string) => void;
  /** What the runs are shaded by, and its values, ascending. */
  readonly metric: string;
  readonly onMetric: (metric: string) => void;
  readonly values: readonly number[];
  /** The variant that sorts the repetitions. */
  readonly sortedBy: string | null;
  readonly onUnsorted: () => void;
}

/** Which link's runs are shown, and by what they are shaded and sorted. */
function Options(props: OptionsProps) {
  const { report, links, link, onLink, metric, onMetric, values, sortedBy, onUnsorted } = props;
  const label = metricOf(report, metric);
  return (
    <div className="options">
      {links.length > 1 && (
        <Choice
          label="link"
          value={link}
          of={links.map((name) => [name, linkTitle(report, name)])}
          onChange={onLink}
        />
      )}
      <Choice
        label="shaded by"
        value={metric}
        of={allMetrics(resultsOf(report)).map((name) => [name, metricLabel(metricOf(report, name))])}
        onChange={onMetric}
      />
      {values.length > 0 && (
        <span className="ramp">
          {formatMetric(values[0], label)} <i aria-hidden="true" />{' '}
          {formatMetric(values[values.length - 1], label)} {label.unit}, by rank
        </span>
      )}
      {sortedBy !== null && (
        <button type="button" className="choice" onClick={onUnsorted}>
          sorted by {sortedBy} ✕
        </button>
      )}
    </div>
  );
}

interface RunButtonProps {
  readonly run: RunEntry;
  readonly title: string;
  readonly shade: number;
  readonly current: boolean;
  readonly compared: boolean;
  /** Whether the tab key stops at it: at one of all. */
  readonly reachable: boolean;
  readonly onSelect: (key: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function RunButton({ run, title, shade, current, compared, reachable, onSelect, onKeyDown }: RunButtonProps) {
  return (
    <button
      type="button"
      data-key={run.key}
      data-compared={compared}
      data-invalid={run.certificate?.valid === false}
      aria-current={current}
      tabIndex={reachable ? 0 : -1}
      title={title}
      aria-label={title}
      style={{ '--shade': shade }}
      onClick={() => onSelect(run.key)}
      onKeyDown={onKeyDown}
    />
  );
}

function runTitle(report: Report, run: RunEntry, metric: string): string {
  const label = metricOf(report, metric);
  const amount = run.metrics[metric];
  const said = amount === undefined ? 'not measured' : `${formatMetric(amount, label)} ${label.unit}`.trim();
  const testbed = hasLive(report.testbeds) ? `, ${testbedTitle(run.testbed)}` : '';
  const valid = run.certificate?.valid === false ? '; not valid' : '';
  return `${variantTitle(report, run.variant)}${testbed}, repetition ${run.repetition}: ${label.label.toLowerCase()} ${said}${valid}`;
}

/** From 0.06 for the least to 0.9 for the greatest, by rank, so that one odd run does not bleach the others. */
function shade(value: number | undefined, ascending: readonly number[]): number {
  if (value === undefined) return 0;
  const below = lowerBound(ascending, value);
  const above = ascending.length - upperBound(ascending, value);
  const others = below + above;
  return 0.06 + (others === 0 ? 0 : (0.84 * below) / others);
}
