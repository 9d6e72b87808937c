import { CanvasSurface } from '../../paint/canvas-surface';
import { Coords } from '../../paint/coords';
import { LIGHT, type Palette } from '../../paint/palette';
import type { Surface } from '../../paint/surface';
import { traceStyle } from '../../paint/traces';
import { make } from '../dom';
import type { LegendEntry } from '../export';
import { SWATCH_HEIGHT, SWATCH_WIDTH } from '../swatch';
import { viewButtons, type ViewTarget } from '../view-buttons';

/** What fillings and brokenness mean, whatever the run. */
export const MEANINGS = 'filled: necessary, genuine; open: unnecessary, spurious';

/** What the buttons do. */
export interface OverlayTarget extends ViewTarget {
  toggle(place: number): void;
}

const coords = new Coords();

/** The legend of several runs, which shows and hides them, and the buttons. */
export class OverlayControls {
  readonly legend = make('div', 'ts-legend');
  readonly buttons = make('div', 'ts-buttons');
  readonly #toggles: readonly { readonly button: HTMLButtonElement; readonly swatch: HTMLCanvasElement }[];

  constructor(labels: readonly string[], target: OverlayTarget) {
    this.legend.setAttribute('role', 'group');
    this.legend.setAttribute('aria-label', 'Legend: show and hide runs');
    this.#toggles = labels.map((label, place) => {
      const swatch = make('canvas', 'ts-swatch');
      const button = make('button', 'ts-toggle', swatch, label);
      button.type = 'button';
      button.addEventListener('click', () => target.toggle(place));
      this.legend.append(button);
      return { button, swatch };
    });
    this.legend.append(make('span', 'ts-legend-word', MEANINGS));
    this.buttons.append(...viewButtons(target, { label: 'All', words: 'the whole of all runs' }));
  }

  /** Brings the buttons up to date. */
  update(shows: (place: number) => boolean, palette: Palette, ratio: number): void {
    for (const [place, { button, swatch }] of this.#toggles.entries()) {
      button.setAttribute('aria-pressed', String(shows(place)));
      swatch.width = SWATCH_WIDTH * ratio;
      swatch.height = SWATCH_HEIGHT * ratio;
      const context = swatch.getContext('2d');
      if (context) drawTraceSwatch(new CanvasSurface(context, ratio), place, palette, 0, 0);
    }
  }
}

/** The legend of a figure: of the runs that it shows. */
export function overlayLegend(labels: readonly string[], shows: (place: number) => boolean): LegendEntry[] {
  return labels.flatMap((label, place) => {
    if (!shows(place)) return [];
    const swatch: LegendEntry['swatch'] = (surface, palette, left, top) =>
      drawTraceSwatch(surface, place, palette, left, top);
    return [{ label, swatch }];
  });
}

function drawTraceSwatch(surface: Surface, place: number, palette: Palette, left: number, top: number): void {
  const { color, dash, mark } = traceStyle(place, palette === LIGHT ? 'light' : 'dark');
  const y = top + SWATCH_HEIGHT / 2;
  coords.clear().push4(left, y, left + SWATCH_WIDTH, y);
  surface.lines(coords, { color, width: 1.8, ...(dash ? { dash } : {}) });
  coords.clear().push2(left + SWATCH_WIDTH / 2, y);
  surface.marks(coords, mark, 3.4, { color }, { color, width: 1.4 });
}
