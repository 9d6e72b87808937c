import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { type Palette } from '../paint/palette';
import { usePalette } from '../paint/use-palette';

/** What an axis has in every plot: the palette's colours. */
export type AxisColors = Pick<UPlot.Axis, 'stroke' | 'grid' | 'ticks'>;

/** Everything of a plot but its size and its data. A plot is drawn anew when this function is another one. */
export type Drawn = (
  palette: Palette,
  axis: AxisColors,
) => Omit<UPlot.Options, 'width' | 'height' | 'legend'>;

interface Props {
  /** What it shows, in a sentence for those who do not see it. */
  readonly label: string;
  /** Pixels. */
  readonly height: number;
  readonly drawn: Drawn;
  readonly data: UPlot.AlignedData;
}

/** Below it there is no room for a plot beside its axis. */
const LEAST_WIDTH = 140;

/** Values hold from one sample to the next, as settings do. */
export const STEPPED = UPlot.paths.stepped?.({ align: 1 });

/** A plot as wide as its place, in the colours of the page. */
export function Plot({ label, height, drawn, data }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<UPlot>(null);
  const latest = useRef(data);
  const { ref, width } = useElementSize();
  const palette = usePalette();
  useEffect(() => {
    const changed = latest.current !== data;
    latest.current = data;
    if (changed) shown.current?.setData(data);
  }, [data]);
  useEffect(() => {
    if (host.current === null) return undefined;
    const axis = { stroke: palette.muted, grid: { stroke: palette.grid }, ticks: { stroke: palette.axis } };
    const chart = new UPlot(
      {
        width: Math.max(LEAST_WIDTH, host.current.clientWidth),
        height,
        legend: { show: false },
        ...drawn(palette, axis),
      },
      latest.current,
      host.current,
    );
    shown.current = chart;
    return () => {
      shown.current = null;
      chart.destroy();
    };
  }, [drawn, height, palette]);
  useEffect(() => {
    if (width >= LEAST_WIDTH) shown.current?.setSize({ width, height });
  }, [width, height]);
  return (
    <div ref={ref}>
      <div ref={host} role="img" aria-label={label} style={{ minHeight: height }} />
    </div>
  );
}
