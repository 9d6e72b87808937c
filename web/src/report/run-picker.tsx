import { useRef, useState, type KeyboardEvent } from 'react';

import { lowerBound, upperBound } from '../lib/search';
import type { Report, RunEntry } from '../series/report';
import { formatMetric, metricLabel, metricTitle } from '../lib/metric';
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
export function RunPicker({ report, selected, other, onSelect }: Props) {
  const links = [...new Set(report.runs.map((run) => run.link))];
  const [metric, setMetric] = useState('elapsed_s');
  const [sortBy, setSortBy] = useState<string | null>(null);
  const [otherLink, setLink] = useState<string | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  const link = otherLink ?? selected?.link ?? links.at(0) ?? '';
  const runs = report.runs.filter((run) => run.link === link);
  const rows = report.experiment.variants
    .flatMap(({ name }) => report.testbeds.map((testbed) => ({ variant: name, testbed })))
    .filter((row) => runs.some((run) => cellKey(run) === cellKey(row)));
  const at = (row: string, repetition: number) =>
    runs.find((run) => cellKey(run) === row && run.repetition === repetition);
  const value = (run: RunEntry | undefined) =>
    run?.certificate?.valid === false ? undefined : run?.metrics[metric];
  const nameOf = (key: string) => {
    const row = rows.find((one) => cellKey(one) === key);
    if (!row) return key;
    const title = variantTitle(report, row.variant);
    return hasLive(report.testbeds) ? `${title}, ${testbedTitle(row.testbed)}` : title;
  };

  const repetitions = [...new Set(runs.map((run) => run.repetition))].sort((a, b) => a - b);
  if (sortBy !== null) {
    repetitions.sort((a, b) => (value(at(sortBy, a)) ?? Infinity) - (value(at(sortBy, b)) ?? Infinity));
  }
  const values = runs.flatMap((run) => value(run) ?? []).sort((a, b) => a - b);
  const label = metricOf(report, metric);

  const step = (event: KeyboardEvent, from: string, repetition: number) => {
    const column = repetitions.indexOf(repetition);
    const row = rows.findIndex((one) => cellKey(one) === from);
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const move = event.key in moves ? moves[event.key] : null;
    if (!move) return;
    event.preventDefault();
    const below = rows.at(Math.max(0, row + move[0]));
    const next = below && at(cellKey(below), repetitions[column + move[1]] ?? -1);
    if (next) {
      onSelect(next.key);
      grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`)?.focus();
    }
  };

  return (
    <div className="picker">
      <Options
        report={report}
        links={links}
        link={link}
        onLink={setLink}
        metric={metric}
        onMetric={setMetric}
        values={values}
        sortedBy={sortBy === null ? null : nameOf(sortBy)}
        onUnsorted={() => {
          setSortBy(null);
        }}
      />
      <div className="wide">
        <table ref={grid} className="grid" aria-label={`Runs, shaded by ${metricTitle(label)}`}>
          <thead>
            <tr>
              <th scope="col">
                <span className="hint">click a name to sort</span>
              </th>
              {repetitions.map((repetition) => (
                <th key={repetition} scope="col">
                  {repetition}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const key = cellKey(row);
              return (
                <tr key={key}>
                  <th scope="row">
                    <button
                      type="button"
                      title={`Sort the repetitions by ${label.label.toLowerCase()} of this variant`}
                      aria-pressed={sortBy === key}
                      onClick={() => {
                        setSortBy(sortBy === key ? null : key);
                      }}
                    >
                      {variantTitle(report, row.variant)}
                      {sortBy === key && ' →'}
                    </button>
                    <TestbedTag testbed={row.testbed} among={report.testbeds} />
                  </th>
                  {repetitions.map((repetition) => {
                    const run = at(key, repetition);
                    return (
                      <td key={repetition}>
                        {run && (
                          <RunButton
                            run={run}
                            title={runTitle(report, run, metric)}
                            shade={shade(value(run), values)}
                            current={run.key === selected?.key}
                            compared={run.key === other?.key}
                            reachable={run.key === (selected?.key ?? runs[0]?.key)}
                            onSelect={onSelect}
                            onKeyDown={(event) => {
                              step(event, key, repetition);
                            }}
                          />
                        )}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
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
        <label>
          link{' '}
          <select
            value={link}
            onChange={(event) => {
              onLink(event.target.value);
            }}
          >
            {links.map((name) => (
              <option key={name} value={name}>
                {linkTitle(report, name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        shaded by{' '}
        <select
          value={metric}
          onChange={(event) => {
            onMetric(event.target.value);
          }}
        >
          {allMetrics(resultsOf(report)).map((name) => (
            <option key={name} value={name}>
              {metricLabel(metricOf(report, name))}
            </option>
          ))}
        </select>
      </label>
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
      onClick={() => {
        onSelect(run.key);
      }}
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
