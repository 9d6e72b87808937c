import { ns } from '../lib/brand';
import { boundsOf, clampView, fullView, type Bounds } from '../lib/viewport';
import { DARK, LIGHT } from '../paint/palette';
import { estimatedTextWidth } from '../paint/surface';
import type { RunIndex } from '../series/run-index';
import type { SeriesSource } from '../series/source';
import { Chart } from './chart';
import { Controls } from './controls';
import { figureElement, type Figure } from './export';
import type { Frame } from './frame';
import type { Extent, Look, TimeSequenceOptions } from './options';
import { figureLegend } from './legend';
import { RunContent } from './run-content';
import { drawScene } from './scene';
import { KEYS, runInWords } from './words';
import { viewTarget } from './view-buttons';
import './diagram.css';

/**
 * The time-sequence diagram of one run: sequence numbers over time as tcptrace draws them, with lanes for link, queue,
 * window and timer on the same axis.
 */
export class TimeSequence extends Chart<Frame> {
  readonly figure: () => Figure;
  readonly #content: RunContent;

  constructor(container: HTMLElement, source: SeriesSource, options: TimeSequenceOptions) {
    const { overview } = source;
    const runs = [overview, ...(options.alongside ?? []).map((other) => other.overview)];
    const changed = () => {
      this.relayout();
      options.onLook?.(content.look);
    };
    const controls = new Controls(runs, {
      toggle: (part) => {
        content.toggle(part);
        changed();
      },
      toggleUnit: () => {
        content.unit = content.unit === 'octets' ? 'segments' : 'octets';
        changed();
      },
      ...viewTarget(() => this),
    });
    const content = new RunContent(
      source,
      options,
      () => this.refresh(),
      (palette, ratio) => {
        controls.update(content.shows, content.unit === 'segments');
        controls.paint(palette, ratio);
      },
    );
    const parts = {
      kind: 'time-sequence diagram',
      label: `${options.title}. ${runInWords(overview)}. ${KEYS}`,
      legend: controls.legend,
      buttons: controls.buttons,
      help: options.density !== 'compact',
    };
    super(container, content, boundsOfRun(overview, options), parts, options);
    this.#content = content;
    this.figure = () => figureOf(content, overview, options, this);
  }

  /** Frames a stretch of the run, in its own time. */
  setHighlight(highlight: Extent | null): void {
    const { highlight: known } = this.#content;
    if (highlight?.from === known?.from && highlight?.to === known?.to) return;
    this.#content.highlight = highlight;
    this.refresh();
  }

  /** Shows and hides parts and switches the unit; `null`: as at first. Does not call `onLook`. */
  setLook(look: Look | null): void {
    const known = lookInWords(this.#content.look);
    this.#content.look = look;
    if (lookInWords(this.#content.look) !== known) this.relayout();
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
