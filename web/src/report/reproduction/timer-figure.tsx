import type { Numbers, Series } from '../../series/types';
import type { Report, RunEntry } from '../../series/report';
import type { RunStore } from '../runs';
import { useRun } from '../use-run';
import { linkTitle, variantTitle } from '../values';
import { Legend, LinePlot, type Line } from './line-plot';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  /** CSS pixels. */
  readonly width: number;
}

/** The retransmission timer of each variant over time. */
export function TimerFigure({ report, store, width }: Props) {
  return (
    <>
      {report.runs.map((run) => (
        <Timer key={run.key} {...{ report, store, run, width }} />
      ))}
      <figcaption>
        <b>Retransmission timer.</b> The timeout in force, minimum and back-off included, and as it is
        estimated, with the smoothed round-trip time and its variation; a step at each change.
      </figcaption>
    </>
  );
}

function Timer({ report, store, run, width }: Props & { readonly run: RunEntry }) {
  const loaded = useRun(store, run.key);
  const lines = loaded && 'run' in loaded ? linesOf(loaded.run.overview.series) : [];
  return (
    <div className="trace">
      <h4>
        {variantTitle(report, run.variant)}
        {report.experiment.links.length > 1 && `, ${linkTitle(report, run.link)}`}
      </h4>
      {lines.length > 0 && (
        <>
          <Legend lines={lines} />
          <LinePlot lines={lines} across="Time (s)" up="Seconds" width={width} />
        </>
      )}
    </div>
  );
}

const ESTIMATED = 'RTO as estimated';

/** Timeout, in force and as estimated, smoothed round-trip time and variation as steps; a value that is not there yet leaves its line out. */
export function linesOf({ state }: Series): readonly Line[] {
  const of = (values: Numbers) => {
    const points: { x: number; y: number }[] = [];
    for (let i = 0; i < state.length; i++) {
      if (values[i] >= 0) points.push({ x: state.t[i] / 1e9, y: values[i] / 1e9 });
    }
    return points;
  };
  return [
    ...(state.estimatedRto ? [{ name: ESTIMATED, hue: 3, steps: true, points: of(state.estimatedRto) }] : []),
    { name: 'RTO', hue: 1, steps: true, points: of(state.rto) },
    { name: 'SRTT', hue: 0, steps: true, points: of(state.srtt) },
    { name: 'RTTVAR', hue: 2, steps: true, dashed: true, points: of(state.rttvar) },
  ].filter((line) => line.points.length > 0);
}
