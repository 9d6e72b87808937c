import { ns, type Ns } from '../lib/brand';
import { boundsOf, clampView, fullView, type Bounds, type Viewport } from '../lib/viewport';
import { DARK, LIGHT } from '../paint/palette';
import { estimatedTextWidth } from '../paint/surface';
import type { RunIndex } from '../series/run-index';
import type { SeriesSource } from '../series/source';
import { Chart } from './chart';
import type { Selected } from './content';
import { Controls } from './controls';
import { figureElement, figureSvg, type Figure } from './export';
import type { Frame } from './frame';
import type { Extent, Look, Theme, TimeSequenceOptions } from './options';
import { figureLegend } from './legend';
import { RunContent } from './run-content';
import { drawScene } from './scene';
import { KEYS, runInWords } from './words';
import { viewTarget } from './view-buttons';
import './diagram.css';

/**
 * The time-sequence diagram of one run in an element of the page: sequence numbers over time as tcptrace draws them,
 * with lanes for link, queue, window and timer on the same axis. Framework-free; everything it needs comes through the
 * constructor and its few setters. Call `destroy` when the element goes.
 */
export class TimeSequence {
  readonly #options: TimeSequenceOptions;
  readonly #overview: RunIndex;
  readonly #content: RunContent;
  readonly #chart: Chart<Frame>;

  constructor(container: HTMLElement, source: SeriesSource, options: TimeSequenceOptions) {
    const { overview } = source;
    this.#options = options;
    this.#overview = overview;
    const runs = [overview, ...(options.alongside ?? []).map((other) => other.overview)];
    const controls = new Controls(runs, {
      toggle: (part) => {
        this.#content.toggle(part);
        this.#chart.relayout();
        options.onLook?.(this.#content.look);
      },
      toggleUnit: () => {
        this.#content.unit = this.#content.unit === 'octets' ? 'segments' : 'octets';
        this.#chart.relayout();
        options.onLook?.(this.#content.look);
      },
      ...viewTarget(
        () => this.#chart,
        () => this.#figure(),
      ),
    });
    const content = new RunContent(
      source,
      options,
      () => this.#chart.refresh(),
      (palette, ratio) => {
        controls.update(content.shows, content.unit === 'segments');
        controls.paint(palette, ratio);
      },
    );
    this.#content = content;
    const parts = {
      kind: 'time-sequence diagram',
      label: `${options.title}. ${runInWords(overview)}. ${KEYS}`,
      legend: controls.legend,
      buttons: controls.buttons,
      help: options.density !== 'compact',
    };
    this.#chart = new Chart(container, content, boundsOfRun(overview, options), parts, options);
  }

  /** Takes the diagram out of the page. */
  destroy(): void {
    this.#content.end();
    this.#chart.destroy();
  }

  /** Shows another part of the run, in the time of its axis; `null` is the whole run. Does not call `onView`. */
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

  /** Pins a segment or timeout as soon as its data are here. Does not call `onSelect`. */
  select(selected: Selected | null): void {
    this.#chart.select(selected);
  }

  /** Frames a stretch of the run, in its own time. */
  setHighlight(highlight: Extent | null): void {
    const { highlight: known } = this.#content;
    if (highlight?.from === known?.from && highlight?.to === known?.to) return;
    this.#content.highlight = highlight;
    this.#chart.refresh();
  }

  /** Shows and hides parts and switches the unit; `null`: as at first. Does not call `onLook`. */
  setLook(look: Look | null): void {
    const known = lookInWords(this.#content.look);
    this.#content.look = look;
    if (lookInWords(this.#content.look) !== known) this.#chart.relayout();
  }

  /** The present view as an SVG document, dark on white. */
  toSvg(): string {
    return figureSvg(this.#figure());
  }

  #figure(): Figure {
    return figureOf(this.#content, this.#overview, this.#options, this.#chart);
  }
}

/**
 * The diagram as an SVG element, as wide as told, with its legend below: for paper, and until someone comes near it.
 * `ids` sets the names inside apart from those of other diagrams in the page.
 */
export function stillDiagram(
  source: SeriesSource,
  options: TimeSequenceOptions,
  width: number,
  ids: string,
): string {
  const nothing = () => undefined;
  const content = new RunContent(source, options, nothing, nothing);
  const bounds = boundsOfRun(source.overview, options);
  const view = clampView(options.view ?? fullView(bounds), bounds);
  const drawing = { view, layout: content.layOut(width), measure: estimatedTextWidth };
  const figure = figureOf(content, source.overview, options, drawing);
  content.end();
  return figureElement(figure, options.theme === 'dark' ? DARK : LIGHT, ids);
}

/** From where to where the time axis goes, in its own time. */
function boundsOfRun(overview: RunIndex, { origin, extent }: TimeSequenceOptions): Bounds {
  const zero = origin?.t ?? ns(0);
  const { from, to } = extent ?? { from: ns(0 - zero), to: ns(overview.series.duration - zero) };
  return boundsOf(to, from);
}

function figureOf(
  content: RunContent,
  overview: RunIndex,
  { title, provenance }: TimeSequenceOptions,
  { view, layout, measure }: Pick<Chart<Frame>, 'view' | 'layout' | 'measure'>,
): Figure {
  return {
    layout,
    measure,
    title,
    provenance: provenance(),
    legend: figureLegend([overview], content.shows),
    draw: (surface, palette) => drawScene(content.frame({ surface, layout, palette, view })),
  };
}

const lookInWords = ({ hidden, unit }: Look) => [unit, ...hidden].join(' ');
