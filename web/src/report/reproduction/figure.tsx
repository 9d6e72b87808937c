import { useRef } from 'react';

import type { Theme } from '../../diagram/options';
import type { Figure, Report } from '../../series/report';
import type { RunStore } from '../runs';
import { useWidth } from '../use-width';
import { BandwidthFigure } from './bandwidth-figure';
import { BoxFigure } from './box-figure';
import { CurveFigure } from './curve-figure';
import { TimerFigure } from './timer-figure';
import { TraceFigure } from './trace-figure';
import { useSeen } from './use-seen';

interface Props {
  readonly report: Report;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** The paper's figure, drawn from our runs once the reader comes near it: a page may have dozens. */
export function FigurePart({ report, store, theme }: Props) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const seen = useSeen(frame);
  const { figure } = report.experiment;
  if (figure === null) return null;
  return (
    <figure
      ref={frame}
      className="repeated"
      style={{ minHeight: seen ? undefined : roomFor(report, figure) }}
    >
      {seen && width > 0 && draw()}
    </figure>
  );

  function draw() {
    switch (figure?.kind) {
      case 'time-sequence':
        return <TraceFigure report={report} store={store} theme={theme} />;
      case 'timer':
        return <TimerFigure report={report} store={store} width={width} />;
      case 'bandwidth':
        return <BandwidthFigure report={report} bin={figure.bin} width={width} />;
      case 'box-plot':
        return <BoxFigure report={report} figure={figure} width={width} />;
      case 'curve':
        return <CurveFigure report={report} figure={figure} width={width} />;
      case undefined:
        return null;
    }
  }
}

/** About how high a figure will be, CSS pixels, so that places further down the page stay where links point. */
function roomFor(report: Report, figure: Figure): number {
  const runs = report.runs.length;
  switch (figure.kind) {
    case 'time-sequence':
      return 30 + 590 * runs;
    case 'timer':
      return 30 + 355 * runs;
    case 'bandwidth':
      return 30 + 355 * 2;
    case 'box-plot':
      return 70 + 44 * report.cells.length;
    case 'curve':
      return 360;
  }
}
