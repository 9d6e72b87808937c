import { useCallback, useEffect, useRef } from 'react';

import type { ChartOptions, Extent } from '../diagram/options';
import type { Trace } from '../diagram/overlay/frame';
import { Overlay } from '../diagram/overlay/overlay';
import { useChart, type ChartProps, type FigureProps } from './use-chart';

interface Props extends Omit<ChartProps, 'selected' | 'onSelect'>, FigureProps {
  /** Two to eight runs; their order gives colour, dash and mark. */
  readonly traces: readonly Trace[];
  /** What happened where the axis has its zero. */
  readonly originLabel?: string | null;
  /** From where to where the axis goes, in its own time; as far as any run unless told. */
  readonly extent?: Extent | null;
}

/** Several runs in one plot. Keep `traces` the same while its runs are; the rest may change at will. */
export function OverlayDiagram(props: Props) {
  const { traces, originLabel = null, extent, density = 'full', title, provenance } = props;
  const latest = useRef(provenance);
  useEffect(() => {
    latest.current = provenance;
  });
  const [from, to] = [extent?.from, extent?.to];
  const make = useCallback(
    (element: HTMLElement, options: ChartOptions) =>
      new Overlay(element, traces, {
        ...options,
        originLabel,
        density,
        title,
        provenance: () => latest.current,
        extent: from === undefined || to === undefined ? null : { from, to },
      }),
    [traces, originLabel, density, title, from, to],
  );
  const [element] = useChart(props, make);
  return <div ref={element} />;
}
