import { useState } from 'react';

import { ns } from '../../lib/brand';
import type { Viewport } from '../../lib/viewport';
import type { Theme } from '../../diagram/options';
import type { Linked } from '../../figures/linked';
import type { RunEntry } from '../../series/report';
import { Diagram } from '../diagram';
import { useRun } from '../use-run';
import { provenanceOf, runTitle } from '../values';
import type { RunFigure } from './run-plots';

interface Props extends RunFigure {
  readonly theme: Theme;
  /** Whether the reader is far from it. */
  readonly still: boolean;
}

/** The time-sequence diagram of every variant, one below the other, with one time axis for all. */
export function TraceFigure(props: Props) {
  const { report } = props;
  const [linked] = useState(() => new Set<Linked>());
  const [view, setView] = useState<Viewport | null>(null);
  const lasts = report.runs.map((run) => run.metrics['elapsed_s'] ?? 0);
  const until = Math.ceil(Math.max(...lasts) * 1e9);
  return (
    <>
      {report.runs.map((run) => (
        <Trace key={run.key} {...props} {...{ run, linked, view, until }} onView={setView} />
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

function Trace({ report, store, run, until, ...shared }: TraceProps) {
  const loaded = useRun(store, run.key);
  return (
    <div className="trace">
      <h4>{runTitle(report, run)}</h4>
      {loaded === null ? (
        <p className="loading">Inflating the run’s data …</p>
      ) : 'error' in loaded ? (
        <p className="error">{loaded.error}</p>
      ) : (
        <Diagram
          {...shared}
          source={loaded.run}
          density="compact"
          extent={{ from: ns(0), to: ns(until) }}
          title={`${run.variant} on ${run.link}`}
          provenance={provenanceOf(report, run)}
        />
      )}
    </div>
  );
}
