import { useState } from 'react';

import type { Extent, Look, Origin, Theme } from '../diagram/options';
import type { Linked } from '../figures/linked';
import { RunDiagram } from '../figures/run-diagram';
import { StillDiagram } from '../figures/still-diagram';
import type { FigureProps } from '../figures/use-chart';
import type { Viewport } from '../lib/viewport';
import type { SeriesSource } from '../series/source';
import { useOnPaper } from '../figures/paper';

interface Props extends FigureProps {
  readonly source: SeriesSource;
  readonly alongside?: readonly SeriesSource[];
  /** Where the time axis has its zero; the run's start unless told. */
  readonly origin?: Origin | null;
  /** A stretch of the run that is framed. */
  readonly highlight?: Extent | null;
  readonly extent: Extent;
  readonly theme: Theme;
  readonly view: Viewport | null;
  readonly onView: (view: Viewport | null) => void;
  readonly linked: Set<Linked>;
  /** CSS pixels, of its still picture. */
  readonly width: number;
  /** Whether the reader is far from it, so that a still picture of it will do. */
  readonly still?: boolean;
}

/** The time-sequence diagram of a run; on paper a still picture of what is on show, dark on white. */
export function Diagram({ still = false, width, linked, onView, theme, ...shared }: Props) {
  const onPaper = useOnPaper();
  const [look, setLook] = useState<Look | null>(null);
  return onPaper || still ? (
    <StillDiagram {...shared} look={look} theme={onPaper ? 'light' : theme} width={width} />
  ) : (
    <RunDiagram {...shared} theme={theme} onView={onView} linked={linked} look={look} onLook={setLook} />
  );
}
