import { useState } from 'react';

import { ns } from '../../lib/brand';
import type { Viewport } from '../../lib/viewport';
import type { Theme } from '../../diagram/options';
import type { Linked } from '../../figures/linked';
import { RunDiagram } from '../../figures/run-diagram';
import type { Report, RunEntry } from '../../series/report';
import type { RunStore } from '../runs';
import { useRun } from '../use-run';
import { linkTitle, variantTitle } from '../values';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** The time-sequence diagram of every variant, one below the other, with one time axis for all. */
export function TraceFigure({ report, store, theme }: Props) {
  const [linked] = useState(() => new Set<Linked>());
  const [view, setView] = useState<Viewport | null>(null);
  const lasts = report.runs.map((run) => run.metrics.get('elapsed_s') ?? 0);
  const until = Math.ceil(Math.max(...lasts) * 1e9);
  return (
    <>
      {report.runs.map((run) => (
        <Trace key={run.key} {...{ report, store, theme, run, linked, view, until }} onView={setView} />
      ))}
      <figcaption>
        <b>Time-sequence diagrams.</b> Each segment is a bar over its octets at the time it was sent;
        retransmissions are judged by what the link did to the earlier copies. The time axes are linked.
      </figcaption>
    </>
  );
}

interface TraceProps extends Props {
  readonly run: RunEntry;
  readonly linked: Set<Linked>;
  readonly view: Viewport | null;
  readonly onView: (view: Viewport | null) => void;
  readonly until: number;
}

function Trace({ report, store, theme, run, linked, view, onView, until }: TraceProps) {
  const loaded = useRun(store, run.key);
  const several = report.experiment.links.length > 1;
  return (
    <div className="trace">
      <h4>
        {variantTitle(report, run.variant)}
        {several && `, ${linkTitle(report, run.link)}`}
      </h4>
      {loaded === null ? (
        <p className="loading">Inflating the run’s data …</p>
      ) : 'error' in loaded ? (
        <p className="error">{loaded.error}</p>
      ) : (
        <RunDiagram
          source={loaded.run}
          theme={theme}
          density="compact"
          extent={{ from: ns(0), to: ns(until) }}
          title={`${run.variant} on ${run.link}`}
          provenance={`Windlull ${report.experiment.version} (commit ${report.experiment.commit}), experiment ${report.experiment.name}, ${run.variant} on ${run.link}, repetition ${run.repetition}, seed ${run.seed}`}
          view={view}
          onView={onView}
          linked={linked}
        />
      )}
    </div>
  );
}
