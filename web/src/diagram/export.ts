import { CanvasSurface } from '../paint/canvas-surface';
import { LIGHT, type Palette } from '../paint/palette';
import type { MeasureText, Surface } from '../paint/surface';
import { SvgSurface } from '../paint/svg-surface';
import { saveFile } from './dom';
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

/** The figure as an SVG document, always dark on white, with its legend below. */
export function figureSvg(figure: Figure): string {
  const height = figureHeight(figure);
  const surface = new SvgSurface(figure.layout.width, height, figure.measure);
  drawFigure(figure, surface);
  return surface.document(figure.title, figure.provenance, LIGHT.background);
}

/** The figure on a canvas of its own with `ratio` device pixels per CSS pixel. */
function figureCanvas(figure: Figure, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const height = figureHeight(figure);
  canvas.width = Math.round(figure.layout.width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser gives no canvas to draw on');
  const surface = new CanvasSurface(context, ratio);
  context.fillStyle = LIGHT.background;
  context.fillRect(0, 0, figure.layout.width, height);
  drawFigure(figure, surface);
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

function drawFigure(figure: Figure, surface: Surface): void {
  figure.draw(surface, LIGHT);
  surface.group('legend', () => {
    for (const { entry, x, y } of placeLegend(figure)) {
      entry.swatch(surface, LIGHT, x, y);
      const style = { color: LIGHT.text, size: 11 };
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
