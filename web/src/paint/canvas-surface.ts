import type { Coords } from './coords';
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
    const c = this.#context;
    const { values, length } = coords;
    if (length === 0) return;
    c.beginPath();
    if (stroke.crisp === true) {
      const snap = this.#snap(stroke.width);
      for (let i = 0; i < length; i += 4) {
        const upright = values[i] === values[i + 2];
        c.moveTo(upright ? snap(values[i]) : values[i], upright ? values[i + 1] : snap(values[i + 1]));
        c.lineTo(
          upright ? snap(values[i + 2]) : values[i + 2],
          upright ? values[i + 3] : snap(values[i + 3]),
        );
      }
    } else {
      for (let i = 0; i < length; i += 4) {
        c.moveTo(values[i], values[i + 1]);
        c.lineTo(values[i + 2], values[i + 3]);
      }
    }
    this.#stroke(stroke);
  }

  polyline(coords: Coords, stroke: Stroke): void {
    if (coords.length < 4) return;
    this.#trace(coords);
    this.#stroke(stroke);
  }

  area(coords: Coords, fill: Fill): void {
    if (coords.length < 6) return;
    this.#trace(coords);
    this.#context.closePath();
    this.#fill(fill);
  }

  rects(coords: Coords, fill: Fill): void {
    const c = this.#context;
    const { values, length } = coords;
    if (length === 0) return;
    c.beginPath();
    for (let i = 0; i < length; i += 4) c.rect(values[i], values[i + 1], values[i + 2], values[i + 3]);
    this.#fill(fill);
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
