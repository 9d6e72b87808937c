import { useRef } from 'react';

import type { Theme } from '../../diagram/options';
import type { Figure, Report } from '../../series/report';
import type { RunStore } from '../runs';
import { useWidth } from '../../figures/use-width';
import { BandwidthFigure } from './bandwidth-figure';
import { BoxFigure } from './box-figure';
import { ConversationsFigure } from './conversations-figure';
import { CurveFigure } from './curve-figure';
import { RoundTripsFigure } from './round-trips-figure';
import { TimerFigure } from './timer-figure';
import { TraceFigure } from './trace-figure';
import { useDrawn } from './use-drawn';

interface Props {
  readonly report: Report;
  readonly figure: Figure;
  readonly store: RunStore;
  readonly theme: Theme;
}

/** A figure of the paper, drawn from our runs once there is time for it or the reader comes near. */
export function FigurePart({ report, figure, store, theme }: Props) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const drawn = useDrawn(frame);
  const shown = drawn !== 'not-yet' && width > 0;
  return (
    <figure
      ref={frame}
      className="repeated"
      data-kind={figure.kind}
      data-drawn={shown}
      style={{ minHeight: shown ? undefined : roomFor(report, figure) }}
    >
      {shown && draw()}
    </figure>
  );

  function draw() {
    switch (figure.kind) {
      case 'time-sequence':
        return <TraceFigure {...{ report, store, theme, width }} still={drawn === 'still'} />;
      case 'conversations':
        return <ConversationsFigure {...{ report, store, width }} />;
      case 'timer':
        return <TimerFigure {...{ report, store, width }} />;
      case 'round-trips':
        return <RoundTripsFigure {...{ report, store, width }} />;
      case 'bandwidth':
        return <BandwidthFigure {...{ report, figure, width }} />;
      case 'box-plot':
        return <BoxFigure {...{ report, figure, width }} />;
      case 'curve':
        return <CurveFigure {...{ report, figure, width }} />;
    }
  }
}

/** About how high a figure will be, CSS pixels, so that places further down the page stay where links point. */
function roomFor(report: Report, figure: Figure): number {
  const runs = report.runs.length;
  switch (figure.kind) {
    case 'time-sequence':
      return 30 + 590 * runs;
    case 'conversations':
    case 'timer':
    case 'round-trips':
      return 30 + 355 * runs;
    case 'bandwidth':
      return 30 + 355 * 2;
    case 'box-plot':
      return 70 + 44 * report.cells.length;
    case 'curve':
      return 360;
  }
}
