import { useRef, useState, type KeyboardEvent } from 'react';

import { lowerBound, upperBound } from '../lib/search';
import type { Report, RunEntry } from '../series/report';
import { allMetrics, formatValue, labelOf, linkTitle, titleOf, variantTitle } from './values';

interface Props {
  readonly report: Report;
  readonly selected: RunEntry | null;
  readonly versus: string | null;
  readonly onSelect: (key: string) => void;
}

/** All runs as a grid, variants by repetitions, shaded by a metric. A click on a variant's name sorts by it. */
export function RunPicker({ report, selected, versus, onSelect }: Props) {
  const links = [...new Set(report.runs.map((run) => run.link))];
  const [metric, setMetric] = useState('elapsed_s');
  const [sortBy, setSortBy] = useState<string | null>(null);
  const [otherLink, setLink] = useState<string | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  const link = otherLink ?? selected?.link ?? links.at(0) ?? '';
  const runs = report.runs.filter((run) => run.link === link);
  const variants = report.experiment.variants
    .map((variant) => variant.name)
    .filter((name) => runs.some((run) => run.variant === name));
  const at = (variant: string, repetition: number) =>
    runs.find((run) => run.variant === variant && run.repetition === repetition);
  const value = (run: RunEntry | undefined) => run?.metrics.get(metric);

  const repetitions = [...new Set(runs.map((run) => run.repetition))].sort((a, b) => a - b);
  if (sortBy !== null) {
    repetitions.sort((a, b) => (value(at(sortBy, a)) ?? Infinity) - (value(at(sortBy, b)) ?? Infinity));
  }
  const values = runs.flatMap((run) => value(run) ?? []).sort((a, b) => a - b);
  const label = labelOf(report, metric);

  const step = (event: KeyboardEvent, variant: string, repetition: number) => {
    const column = repetitions.indexOf(repetition);
    const row = variants.indexOf(variant);
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const move = event.key in moves ? moves[event.key] : null;
    if (!move) return;
    event.preventDefault();
    const next = at(variants[row + move[0]] ?? '', repetitions[column + move[1]] ?? -1);
    if (next) {
      onSelect(next.key);
      grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`)?.focus();
    }
  };

  return (
    <div className="picker">
      <div className="options">
        {links.length > 1 && (
          <label>
            link{' '}
            <select
              value={link}
              onChange={(event) => {
                setLink(event.target.value);
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
              setMetric(event.target.value);
            }}
          >
            {allMetrics(report).map((name) => (
              <option key={name} value={name}>
                {labelOf(report, name).label}
              </option>
            ))}
          </select>
        </label>
        {values.length > 0 && (
          <span className="ramp">
            {formatValue(values[0], label)} <i aria-hidden="true" />{' '}
            {formatValue(values[values.length - 1], label)} {label.unit}, by rank
          </span>
        )}
        {sortBy !== null && (
          <button
            type="button"
            className="choice"
            onClick={() => {
              setSortBy(null);
            }}
          >
            sorted by {variantTitle(report, sortBy)} ✕
          </button>
        )}
      </div>
      <div className="wide">
        <table ref={grid} className="grid" aria-label={`Runs, shaded by ${titleOf(label)}`}>
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
            {variants.map((variant) => (
              <tr key={variant}>
                <th scope="row">
                  <button
                    type="button"
                    title={`Sort the repetitions by ${label.label.toLowerCase()} of this variant`}
                    aria-pressed={sortBy === variant}
                    onClick={() => {
                      setSortBy(sortBy === variant ? null : variant);
                    }}
                  >
                    {variantTitle(report, variant)}
                    {sortBy === variant && ' →'}
                  </button>
                </th>
                {repetitions.map((repetition) => {
                  const run = at(variant, repetition);
                  if (!run) return <td key={repetition} />;
                  const amount = value(run);
                  const compared = variant === versus && repetition === selected?.repetition;
                  return (
                    <td key={repetition}>
                      <button
                        type="button"
                        data-key={run.key}
                        data-compared={compared}
                        aria-current={run.key === selected?.key}
                        tabIndex={run.key === (selected?.key ?? runs[0]?.key) ? 0 : -1}
                        title={runTitle(report, run, metric)}
                        aria-label={runTitle(report, run, metric)}
                        style={{ '--shade': shade(amount, values) }}
                        onClick={() => {
                          onSelect(run.key);
                        }}
                        onKeyDown={(event) => {
                          step(event, variant, repetition);
                        }}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function runTitle(report: Report, run: RunEntry, metric: string): string {
  const label = labelOf(report, metric);
  const amount = run.metrics.get(metric);
  const said = amount === undefined ? 'not measured' : `${formatValue(amount, label)} ${label.unit}`.trim();
  return `${variantTitle(report, run.variant)}, repetition ${run.repetition}: ${label.label.toLowerCase()} ${said}`;
}

/** From 0.06 for the least to 0.9 for the greatest, by rank, so that one odd run does not bleach the others. */
function shade(value: number | undefined, ascending: readonly number[]): number {
  if (value === undefined) return 0;
  const below = lowerBound(ascending, value);
  const above = ascending.length - upperBound(ascending, value);
  const others = below + above;
  return 0.06 + (others === 0 ? 0 : (0.84 * below) / others);
}
