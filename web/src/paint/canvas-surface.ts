import type { Coords } from './coords';
import { CORNERS, type Mark } from './marks';
import { lineRects, stepAreaRects, stepRects, type Emit } from './step-path';
import { FONT, type Box, type Fill, type Stroke, type Surface, type TextStyle } from './surface';

/** Draws on a canvas whose backing store has `ratio` device pixels for each CSS pixel. */
export class CanvasSurface implements Surface {
  readonly #context: CanvasRenderingContext2D;
  readonly #ratio: number;

  constructor(context: CanvasRenderingContext2D, ratio: number) {
    this.#context = context;
    this.#ratio = ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  group(_name: string, draw: () => void): void {
    draw();
  }

  clip(box: Box, draw: () => void): void {
    const c = this.#context;
    c.save();
    c.beginPath();
    c.rect(box.x, box.y, box.w, box.h);
    c.clip();
    draw();
    c.restore();
  }

  lines(coords: Coords, stroke: Stroke): void {
    const { values, length } = coords;
    if (length === 0) return;
    const snap = stroke.crisp === true ? this.#snap(stroke.width) : (value: number) => value;
    const dash = stroke.dash ?? null;
    const c = this.#context;
    let slanted = false;
    this.#solid(stroke);
    for (let i = 0; i < length; i += 4) {
      const [x0, y0, x1, y1] = [values[i], values[i + 1], values[i + 2], values[i + 3]];
      if (x0 === x1) lineRects([snap(x0), y0, snap(x0), y1], stroke.width, dash, this.#rect);
      else if (y0 === y1) lineRects([x0, snap(y0), x1, snap(y0)], stroke.width, dash, this.#rect);
      else slanted = true;
    }
    c.globalAlpha = 1;
    if (!slanted) return;
    c.beginPath();
    for (let i = 0; i < length; i += 4) {
      if (values[i] === values[i + 2] || values[i + 1] === values[i + 3]) continue;
      c.moveTo(values[i], values[i + 1]);
      c.lineTo(values[i + 2], values[i + 3]);
    }
    this.#stroke(stroke);
  }

  polyline(coords: Coords, stroke: Stroke): void {
    if (coords.length < 4) return;
    this.#trace(coords);
    this.#stroke(stroke);
  }

  steps(coords: Coords, stroke: Stroke): void {
    if (coords.length < 4) return;
    this.#solid(stroke);
    stepRects(coords, stroke.width, stroke.dash ?? null, this.#rect);
    this.#context.globalAlpha = 1;
  }

  stepArea(coords: Coords, foot: number, fill: Fill): void {
    if (coords.length < 4) return;
    this.#solid(fill);
    stepAreaRects(coords, foot, 1 / this.#ratio, this.#rect);
    this.#context.globalAlpha = 1;
  }

  rects(coords: Coords, fill: Fill): void {
    const { values, length } = coords;
    this.#solid(fill);
    for (let i = 0; i < length; i += 4) this.#rect(values[i], values[i + 1], values[i + 2], values[i + 3]);
    this.#context.globalAlpha = 1;
  }

  circles(coords: Coords, radius: number, fill: Fill | null, stroke: Stroke | null): void {
    const c = this.#context;
    const { values, length } = coords;
    if (length === 0) return;
    c.beginPath();
    for (let i = 0; i < length; i += 2) {
      c.moveTo(values[i] + radius, values[i + 1]);
      c.arc(values[i], values[i + 1], radius, 0, 2 * Math.PI);
    }
    if (fill) this.#fill(fill);
    if (stroke) this.#stroke(stroke);
  }

  marks(coords: Coords, mark: Mark, radius: number, fill: Fill | null, stroke: Stroke | null): void {
    if (mark === 'circle') {
      this.circles(coords, radius, fill, stroke);
      return;
    }
    const c = this.#context;
    const { values, length } = coords;
    if (length === 0) return;
    c.beginPath();
    for (let i = 0; i < length; i += 2) {
      for (const [corner, [x, y]] of CORNERS[mark].entries()) {
        const at = [values[i] + x * radius, values[i + 1] + y * radius] as const;
        if (corner === 0) c.moveTo(...at);
        else c.lineTo(...at);
      }
      c.closePath();
    }
    if (fill) this.#fill(fill);
    if (stroke) this.#stroke(stroke);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const c = this.#context;
    c.save();
    c.font = `${style.bold === true ? '600 ' : ''}${style.size}px ${FONT}`;
    c.textAlign = style.align === 'middle' ? 'center' : (style.align ?? 'start');
    c.textBaseline = style.baseline ?? 'middle';
    c.translate(x, y);
    if (style.upright === true) c.rotate(-Math.PI / 2);
    if (style.halo !== undefined) {
      c.strokeStyle = style.halo;
      c.lineWidth = 3;
      c.lineJoin = 'round';
      c.strokeText(text, 0, 0);
    }
    c.fillStyle = style.color;
    c.fillText(text, 0, 0);
    c.restore();
  }

  textWidth(text: string, size: number): number {
    const c = this.#context;
    c.font = `${size}px ${FONT}`;
    return c.measureText(text).width;
  }

  readonly #rect: Emit = (x, y, w, h) => this.#context.fillRect(x, y, w, h);

  /** Prepares for rectangles of a colour. */
  #solid({ color, alpha }: Fill): void {
    this.#context.globalAlpha = alpha ?? 1;
    this.#context.fillStyle = color;
  }

  #trace(coords: Coords): void {
    const c = this.#context;
    const { values, length } = coords;
    c.beginPath();
    c.moveTo(values[0], values[1]);
    for (let i = 2; i < length; i += 2) c.lineTo(values[i], values[i + 1]);
  }

  #stroke(stroke: Stroke): void {
    const c = this.#context;
    c.globalAlpha = stroke.alpha ?? 1;
    c.strokeStyle = stroke.color;
    c.lineWidth = stroke.width;
    c.lineJoin = 'round';
    c.setLineDash(stroke.dash ? [...stroke.dash] : []);
    c.stroke();
    c.globalAlpha = 1;
  }

  #fill(fill: Fill): void {
    const c = this.#context;
    c.globalAlpha = fill.alpha ?? 1;
    c.fillStyle = fill.color;
    c.fill();
    c.globalAlpha = 1;
  }

  /** Puts the middle of a line of this width where its edges fall between device pixels. */
  #snap(width: number): (value: number) => number {
    const ratio = this.#ratio;
    const half = Math.max(1, Math.round(width * ratio)) % 2 === 1 ? 0.5 : 0;
    return (value) => (Math.round(value * ratio - half) + half) / ratio;
  }
}
