import { CanvasSurface } from '../paint/canvas-surface';
import type { Palette } from '../paint/palette';
import type { RunIndex } from '../series/run-index';
import { make, makeButton } from './dom';
import { isPresent, LANES, PART_LABELS, type LayerId, type PartId } from './layers';
import { drawSwatch, legendLabel, legendLayers } from './legend';
import { SWATCH_HEIGHT, SWATCH_WIDTH } from './swatch';
import { viewButtons, type ViewTarget } from './view-buttons';

/** What the buttons above and below the diagram do. */
export interface ControlsTarget extends ViewTarget {
  toggle(part: PartId): void;
  toggleUnit(): void;
}

/** The legend, which switches layers and lanes, and the buttons. */
export class Controls {
  readonly legend = make('div', 'ts-legend');
  readonly buttons = make('div', 'ts-buttons');
  readonly #toggles = new Map<PartId, HTMLButtonElement>();
  readonly #swatches = new Map<LayerId, HTMLCanvasElement>();
  readonly #unit: HTMLButtonElement;
  readonly #runs: readonly RunIndex[];

  constructor(runs: readonly RunIndex[], target: ControlsTarget) {
    this.#runs = runs;
    this.legend.setAttribute('role', 'group');
    this.legend.setAttribute('aria-label', 'Legend: show and hide parts of the diagram');
    for (const layer of legendLayers(runs)) {
      const swatch = make('canvas', 'ts-swatch');
      this.#swatches.set(layer, swatch);
      this.legend.append(this.#toggle(layer, target, swatch, legendLabel(layer, runs)));
    }
    const there = LANES.filter((lane) => isPresent(lane, runs));
    if (there.length > 0) {
      const lanes = there.map((lane) => this.#toggle(lane, target, PART_LABELS[lane]));
      this.legend.append(make('span', 'ts-legend-lanes', make('span', 'ts-legend-word', 'lanes'), ...lanes));
    }

    this.#unit = makeButton('ts-button', 'kB', 'Sequence axis: octets or segments', () =>
      target.toggleUnit(),
    );
    this.buttons.append(...viewButtons(target, { label: 'Whole run', words: 'the whole run' }, this.#unit));
  }

  /** Brings the buttons up to date. */
  update(shows: (part: PartId) => boolean, inSegments: boolean): void {
    for (const [part, button] of this.#toggles) button.setAttribute('aria-pressed', String(shows(part)));
    this.#unit.textContent = inSegments ? 'segments' : 'octets';
  }

  /** Draws the keys in the colours of a theme. */
  paint(palette: Palette, ratio: number): void {
    for (const [layer, canvas] of this.#swatches) {
      canvas.width = SWATCH_WIDTH * ratio;
      canvas.height = SWATCH_HEIGHT * ratio;
      const context = canvas.getContext('2d');
      if (context) drawSwatch(new CanvasSurface(context, ratio), layer, this.#runs, palette, 0, 0);
    }
  }

  #toggle(part: PartId, target: ControlsTarget, ...content: (string | Node)[]): HTMLButtonElement {
    const button = make('button', 'ts-toggle', ...content);
    button.type = 'button';
    button.dataset['part'] = part;
    button.addEventListener('click', () => target.toggle(part));
    this.#toggles.set(part, button);
    return button;
  }
}
