import type { RunIndex } from '../../series/run-index';
import type { Numbers } from '../../series/types';
import type { Line } from './line-plot';
import { RunPlots, type RunFigure } from './run-plots';

/** The retransmission timer of each variant over time. */
export function TimerFigure(props: RunFigure) {
  return (
    <RunPlots {...props} across="Time (s)" up="Seconds" linesOf={timerLines}>
      <b>Retransmission timer.</b> The timeout in force, minimum and back-off included, and as it is
      estimated, with the smoothed round-trip time and its variation; a step at each change.
    </RunPlots>
  );
}

/** Timeout, in force and as estimated, smoothed round-trip time and variation as steps; a value that is not there yet leaves its line out. */
export function timerLines(flows: readonly Pick<RunIndex, 'series'>[]): readonly Line[] {
  return flows.flatMap(({ series: { state } }) => {
    const of = (values: Numbers) => {
      const points: { x: number; y: number }[] = [];
      for (let i = 0; i < state.length; i++) {
        if (values[i] >= 0) points.push({ x: state.t[i] / 1e9, y: values[i] / 1e9 });
      }
      return points;
    };
    return [
      { name: 'RTO as estimated', hue: 3, steps: true, points: of(state.estimated_rto) },
      { name: 'RTO', hue: 1, steps: true, points: of(state.rto) },
      { name: 'SRTT', hue: 0, steps: true, points: of(state.srtt) },
      { name: 'RTTVAR', hue: 2, steps: true, dashed: true, points: of(state.rttvar) },
    ].filter((line) => line.points.length > 0);
  });
}
