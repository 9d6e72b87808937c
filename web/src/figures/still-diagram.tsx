import { useId, useMemo } from 'react';

import type { Extent, Look, Theme } from '../diagram/options';
import { stillDiagram } from '../diagram/time-sequence';
import type { Viewport } from '../lib/viewport';
import type { SeriesSource } from '../series/source';
import type { FigureProps } from './use-chart';

interface Props extends FigureProps {
  readonly source: SeriesSource;
  readonly alongside?: readonly SeriesSource[];
  readonly extent?: Extent | null;
  readonly look?: Look | null;
  readonly view: Viewport | null;
  readonly theme: Theme;
  /** CSS pixels. */
  readonly width: number;
}

/** The time-sequence diagram of a run as lines and letters without hands: for paper, which keeps them sharp. */
export function StillDiagram(props: Props) {
  const { source, alongside, extent, look, view, theme, width } = props;
  const { density, title, provenance } = props;
  const ids = useId().replace(/\W/g, '');
  const svg = useMemo(
    () =>
      stillDiagram(
        source,
        {
          ...{ theme, view, title, provenance: () => provenance },
          ...(alongside && { alongside }),
          ...(density && { density }),
          ...(extent && { extent }),
          ...(look && { look }),
        },
        width,
        ids,
      ),
    [source, alongside, extent, look, view, theme, width, density, title, provenance, ids],
  );
  return <div className="still" dangerouslySetInnerHTML={{ __html: svg }} />;
}
