import { saveFile } from '../lib/save';
import { CanvasSurface } from '../paint/canvas-surface';
import { LIGHT, type Palette } from '../paint/palette';
import type { MeasureText, Surface } from '../paint/surface';
import { SvgSurface } from '../paint/svg-surface';
import type { Layout } from './layout';
import { SWATCH_HEIGHT, SWATCH_WIDTH } from './swatch';

/** One line of a figure's legend. */
export interface LegendEntry {
  readonly label: string;
  /** Draws its key into a box of the swatch's size. */
  readonly swatch: (surface: Surface, palette: Palette, left: number, top: number) => void;
}

/** What a figure is made from: the same things as a frame on the screen. */
export interface Figure {
  readonly layout: Layout;
  readonly draw: (surface: Surface, palette: Palette) => void;
  readonly legend: readonly LegendEntry[];
  readonly measure: MeasureText;
  /** What the figure is, for the file's title. */
  readonly title: string;
  /** Where it comes from, for the file's description. */
  readonly provenance: string;
}

const LEGEND_ROW = 18;

/** The figure as an SVG document, dark on white, with its legend below. */
export function figureSvg(figure: Figure): string {
  return drawn(figure, LIGHT, '').document(figure.title, figure.provenance, LIGHT.background);
}

/** The figure as an SVG element of a page, in its theme's colours. `ids` sets the names inside apart from those of others. */
export function figureElement(figure: Figure, palette: Palette, ids: string): string {
  return drawn(figure, palette, ids).element(figure.title, figure.provenance, palette.background);
}

function drawn(figure: Figure, palette: Palette, ids: string): SvgSurface {
  const surface = new SvgSurface(figure.layout.width, figureHeight(figure), figure.measure, ids);
  drawFigure(figure, surface, palette);
  return surface;
}

/** The figure on a canvas of its own with `ratio` device pixels per CSS pixel. */
function figureCanvas(figure: Figure, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const height = figureHeight(figure);
  canvas.width = Math.round(figure.layout.width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser provides no canvas');
  const surface = new CanvasSurface(context, ratio);
  context.fillStyle = LIGHT.background;
  context.fillRect(0, 0, figure.layout.width, height);
  drawFigure(figure, surface, LIGHT);
  return canvas;
}

/** Hands the figure over as an SVG file. */
export function saveSvg(figure: Figure): void {
  saveFile(new Blob([figureSvg(figure)], { type: 'image/svg+xml' }), `${fileName(figure)}.svg`);
}

/** Hands the figure over as a PNG file, three device pixels to a CSS pixel: 288 dots to the inch. */
export function savePng(figure: Figure): void {
  figureCanvas(figure, 3).toBlob((blob) => {
    if (blob) saveFile(blob, `${fileName(figure)}.png`);
  }, 'image/png');
}

function fileName(figure: Figure): string {
  return figure.title.replace(/[^\w+-]+/g, '-').replace(/^-|-$/g, '');
}

function drawFigure(figure: Figure, surface: Surface, palette: Palette): void {
  figure.draw(surface, palette);
  surface.group('legend', () => {
    for (const { entry, x, y } of placeLegend(figure)) {
      entry.swatch(surface, palette, x, y);
      const style = { color: palette.text, size: 11 };
      surface.text(x + SWATCH_WIDTH + 5, y + SWATCH_HEIGHT / 2, entry.label, style);
    }
  });
}

function figureHeight(figure: Figure): number {
  const last = placeLegend(figure).at(-1);
  return last === undefined ? figure.layout.height : last.y + LEGEND_ROW + 4;
}

function placeLegend({ layout, legend, measure }: Figure) {
  const left = layout.plot.x;
  let x = left;
  let y = layout.height + 4;
  return legend.map((entry) => {
    const width = SWATCH_WIDTH + 5 + measure(entry.label, 11) + 16;
    if (x > left && x + width > layout.width) {
      x = left;
      y += LEGEND_ROW;
    }
    const place = { entry, x, y };
    x += width;
    return place;
  });
}
