import type { ReactNode } from 'react';

import type { RunIndex } from '../../series/run-index';
import type { Report, RunEntry } from '../../series/report';
import type { RunStore } from '../runs';
import { useRuns } from '../use-run';
import { runTitle } from '../values';
import { farthest, Legend, LinePlot, type Line } from './line-plot';

/** What a figure of runs is made of. */
export interface RunFigure {
  readonly report: Report;
  readonly store: RunStore;
  /** CSS pixels. */
  readonly width: number;
}

interface Props extends RunFigure {
  /** Names and units of the axes. */
  readonly across: string;
  readonly up: string;
  /** The lines of a run, from the data of its flows: the shown one, or all of them with `everyFlow`. */
  readonly linesOf: (flows: readonly RunIndex[]) => readonly Line[];
  readonly everyFlow?: boolean;
  /** The caption. */
  readonly children: ReactNode;
}

/** A plot of each variant's run, one below the other, all with the same axes. */
export function RunPlots({ report, store, width, across, up, linesOf, everyFlow = false, children }: Props) {
  const keysOf = (run: RunEntry) => (everyFlow ? run.flows : [run.key]);
  const loaded = useRuns(store, report.runs.flatMap(keysOf).join('\n')) ?? [];
  const errors = loaded.flatMap((one) => ('error' in one ? [one.error] : []));
  const indexOf = new Map(loaded.flatMap((one) => ('run' in one ? [[one.key, one.run.overview]] : [])));
  const plots = report.runs.map((run) => ({
    run,
    lines: linesOf(keysOf(run).flatMap((key) => indexOf.get(key) ?? [])),
  }));
  const most = farthest(plots.flatMap(({ lines }) => lines));
  return (
    <>
      {plots.map(({ run, lines }) => (
        <div key={run.key} className="trace">
          <h4>{runTitle(report, run)}</h4>
          {lines.length > 0 && (
            <>
              <Legend lines={lines} />
              <LinePlot lines={lines} across={across} up={up} width={width} reach={most} />
            </>
          )}
        </div>
      ))}
      {errors.length > 0 && <p className="error">{errors[0]}</p>}
      <figcaption>{children}</figcaption>
    </>
  );
}
