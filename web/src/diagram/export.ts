import type { Viewport } from '../lib/viewport';
import { CanvasSurface } from '../paint/canvas-surface';
import { LIGHT } from '../paint/palette';
import type { MeasureText, Surface } from '../paint/surface';
import { SvgSurface } from '../paint/svg-surface';
import type { RunIndex } from '../series/run-index';
import { saveFile } from './dom';
import { makeFrame, type Frame, type SequenceUnit } from './frame';
import type { PartId } from './layers';
import type { Layout } from './layout';
import { drawSwatch, legendLabel, legendLayers, SWATCH_HEIGHT, SWATCH_WIDTH } from './legend';
import { drawScene } from './scene';

/** What a figure is made from: the same things as a frame on the screen. */
export interface Figure {
  readonly index: RunIndex;
  readonly layout: Layout;
  readonly view: Viewport;
  readonly unit: SequenceUnit;
  readonly alongside: readonly RunIndex[];
  readonly shows: (part: PartId) => boolean;
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
  const frame: Frame = makeFrame({ ...figure, surface, palette: LIGHT });
  drawScene(frame);
  surface.group('legend', () => {
    for (const { layer, label, x, y } of placeLegend(figure)) {
      drawSwatch(surface, layer, LIGHT, x, y);
      surface.text(x + SWATCH_WIDTH + 5, y + SWATCH_HEIGHT / 2, label, { color: LIGHT.text, size: 11 });
    }
  });
}

function figureHeight(figure: Figure): number {
  const last = placeLegend(figure).at(-1);
  return last === undefined ? figure.layout.height : last.y + LEGEND_ROW + 4;
}

function placeLegend(figure: Figure) {
  const { layout, index } = figure;
  const runs = [index];
  const left = layout.plot.x;
  let x = left;
  let y = layout.height + 4;
  return legendLayers(runs)
    .filter((layer) => figure.shows(layer))
    .map((layer) => {
      const label = legendLabel(layer, runs);
      const width = SWATCH_WIDTH + 5 + figure.measure(label, 11) + 16;
      if (x > left && x + width > layout.width) {
        x = left;
        y += LEGEND_ROW;
      }
      const place = { layer, label, x, y };
      x += width;
      return place;
    });
}
