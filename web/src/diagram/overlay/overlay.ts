import { ns } from '../../lib/brand';
import { boundsOf } from '../../lib/viewport';
import { Chart } from '../chart';
import type { Figure } from '../export';
import type { ChartOptions, Extent, FigureOptions } from '../options';
import { KEYS, runInWords } from '../words';
import { OverlayContent } from './content';
import { drawOverlayScene } from './draw';
import type { OverlayFrame, Trace } from './frame';
import { OverlayControls, overlayLegend } from './legend';
import { viewTarget } from '../view-buttons';
import '../diagram.css';

export interface OverlayOptions extends ChartOptions, FigureOptions {
  /** What happened where the axis has its zero; `null` where that is the runs' start. */
  readonly originLabel?: string | null;
  /** From where to where the axis goes, in its own time; as far as any run unless told. */
  readonly extent?: Extent | null;
}

/**
 * Several runs in one plot over one time axis, each in a colour, dash and mark of its own: how far new data had come,
 * what was sent again, timeouts, and above the plot the link's holds and outages.
 */
export class Overlay extends Chart<OverlayFrame> {
  readonly figure: () => Figure;

  constructor(container: HTMLElement, traces: readonly Trace[], options: OverlayOptions) {
    const { originLabel = null, density = 'full', title, provenance } = options;
    const labels = traces.map(({ label }) => label);
    const controls = new OverlayControls(labels, {
      toggle: (place) => {
        content.toggle(place);
        this.relayout();
      },
      ...viewTarget(() => this),
    });
    const content = new OverlayContent(
      traces,
      { originLabel, density },
      () => this.refresh(),
      (palette, ratio) => controls.update((place) => content.shows(place), palette, ratio),
    );
    const { from, to } = options.extent ?? extentOf(traces);
    const runs = traces.map(({ label, source }) => `${label}: ${runInWords(source.overview)}`);
    const parts = {
      kind: 'time-sequence diagram of several runs',
      label: `${title}. ${runs.join('. ')}. ${KEYS}`,
      legend: controls.legend,
      buttons: controls.buttons,
      help: density !== 'compact',
    };
    super(container, content, boundsOf(to, from), parts, options);
    this.figure = () => {
      const { view, layout, measure } = this;
      return {
        layout,
        measure,
        title,
        provenance: provenance(),
        legend: overlayLegend(labels, (place) => content.shows(place)),
        draw: (surface, palette) =>
          drawOverlayScene(content.frame({ surface, layout, palette, view }), originLabel),
      };
    };
  }
}

function extentOf(traces: readonly Trace[]): Extent {
  return {
    from: ns(Math.min(0, ...traces.map(({ origin }) => 0 - origin))),
    to: ns(Math.max(0, ...traces.map(({ source, origin }) => source.overview.series.duration - origin))),
  };
}
