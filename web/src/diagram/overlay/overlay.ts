import { ns, type Ns } from '../../lib/brand';
import { boundsOf, type Viewport } from '../../lib/viewport';
import { Chart } from '../chart';
import { figureSvg, type Figure } from '../export';
import type { ChartOptions, Extent, FigureOptions, Theme } from '../options';
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
 * what was sent again, timeouts, and above the plot the link's holds and outages. Framework-free, as `TimeSequence`.
 */
export class Overlay {
  readonly #options: OverlayOptions;
  readonly #labels: readonly string[];
  readonly #content: OverlayContent;
  readonly #chart: Chart<OverlayFrame>;

  constructor(container: HTMLElement, traces: readonly Trace[], options: OverlayOptions) {
    this.#options = options;
    this.#labels = traces.map(({ label }) => label);
    const controls = new OverlayControls(this.#labels, {
      toggle: (place) => {
        this.#content.toggle(place);
        this.#chart.relayout();
      },
      ...viewTarget(
        () => this.#chart,
        () => this.#figure(),
      ),
    });
    const content = new OverlayContent(
      traces,
      { originLabel: options.originLabel ?? null, density: options.density ?? 'full' },
      () => this.#chart.refresh(),
      (palette, ratio) => controls.update((place) => content.shows(place), palette, ratio),
    );
    this.#content = content;
    const { from, to } = options.extent ?? extentOf(traces);
    const runs = traces.map(({ label, source }) => `${label}: ${runInWords(source.overview)}`);
    const parts = {
      kind: 'time-sequence diagram of several runs',
      label: `${options.title}. ${runs.join('. ')}. ${KEYS}`,
      legend: controls.legend,
      buttons: controls.buttons,
      help: options.density !== 'compact',
    };
    this.#chart = new Chart(container, content, boundsOf(to, from), parts, options);
  }

  /** Takes the diagram out of the page. */
  destroy(): void {
    this.#content.end();
    this.#chart.destroy();
  }

  /** Shows another part, in the time of the axis; `null` is all. Does not call `onView`. */
  setView(view: Viewport | null): void {
    this.#chart.setView(view);
  }

  setTheme(theme: Theme): void {
    this.#chart.setTheme(theme);
  }

  /** Shows the time that the pointer is at in a linked diagram. */
  setCursor(t: Ns | null): void {
    this.#chart.setCursor(t);
  }

  /** The present view as an SVG document, dark on white. */
  toSvg(): string {
    return figureSvg(this.#figure());
  }

  #figure(): Figure {
    const { view, layout, measure } = this.#chart;
    const { title, provenance, originLabel = null } = this.#options;
    const content = this.#content;
    return {
      layout,
      measure,
      title,
      provenance: provenance(),
      legend: overlayLegend(this.#labels, (place) => content.shows(place)),
      draw: (surface, palette) =>
        drawOverlayScene(content.frame({ surface, layout, palette, view }), originLabel),
    };
  }
}

function extentOf(traces: readonly Trace[]): Extent {
  return {
    from: ns(Math.min(0, ...traces.map(({ origin }) => 0 - origin))),
    to: ns(Math.max(0, ...traces.map(({ source, origin }) => source.overview.series.duration - origin))),
  };
}
