import { useCallback, useEffect, useRef } from 'react';

import type { ChartOptions, Extent, Look, Origin } from '../diagram/options';
import { TimeSequence } from '../diagram/time-sequence';
import type { SeriesSource } from '../series/source';
import { useChart, type ChartProps, type FigureProps } from './use-chart';

interface Props extends ChartProps, FigureProps {
  readonly source: SeriesSource;
  /** Runs that share the fitted sequence axis. */
  readonly alongside?: readonly SeriesSource[];
  /** Where the time axis has its zero; the run's start unless told. */
  readonly origin?: Origin | null;
  /** From where to where the axis goes, in its own time; the whole run unless told. */
  readonly extent?: Extent | null;
  /** A stretch of the run, in its own time, that is framed. */
  readonly highlight?: Extent | null;
  /** What is hidden and what the sequence axis counts; `null`: as at first. */
  readonly look?: Look | null;
  readonly onLook?: (look: Look) => void;
}

const ALONE: readonly SeriesSource[] = [];

/** The time-sequence diagram of a run. Keep `alongside` the same while its runs are; the rest may change at will. */
export function RunDiagram(props: Props) {
  const { source, alongside = ALONE, origin, extent, highlight = null } = props;
  const { density = 'full', title, provenance, look = null, onLook } = props;
  const latest = useRef({ look, onLook, provenance });
  useEffect(() => {
    latest.current = { look, onLook, provenance };
  });
  const [zero, label] = [origin?.t, origin?.label];
  const [from, to] = [extent?.from, extent?.to];
  const make = useCallback(
    (element: HTMLElement, options: ChartOptions) =>
      new TimeSequence(element, source, {
        ...options,
        alongside,
        density,
        title,
        provenance: () => latest.current.provenance,
        origin: zero === undefined || label === undefined ? null : { t: zero, label },
        extent: from === undefined || to === undefined ? null : { from, to },
        look: latest.current.look,
        onLook: (next) => latest.current.onLook?.(next),
      }),
    [source, alongside, density, title, zero, label, from, to],
  );
  const [element, diagram] = useChart(props, make);
  const [begin, end] = [highlight?.from, highlight?.to];
  useEffect(() => {
    diagram.current?.setHighlight(begin === undefined || end === undefined ? null : { from: begin, to: end });
  }, [diagram, make, begin, end]);
  useEffect(() => {
    diagram.current?.setLook(look);
  }, [diagram, make, look]);
  return <div ref={element} />;
}
