import type { Coords } from './coords';
import { CORNERS, type Mark } from './marks';
import {
  estimatedTextWidth,
  FONT,
  type Box,
  type Fill,
  type MeasureText,
  type Stroke,
  type Surface,
  type TextStyle,
} from './surface';

/** Writes what is drawn as the text of an SVG document: one element per batch, groups by name. */
export class SvgSurface implements Surface {
  readonly #width: number;
  readonly #height: number;
  readonly #parts: string[] = [];
  #clips = 0;

  readonly #measure: MeasureText;

  readonly #ids: string;

  /** `ids` begins every name inside, so that several documents can stand in one page. */
  constructor(width: number, height: number, measure: MeasureText = estimatedTextWidth, ids = '') {
    this.#measure = measure;
    this.#ids = ids;
    this.#width = width;
    this.#height = height;
  }

  /** The whole document. `title` and `description` are what a reader of the file, or of the screen, is told. */
  document(title: string, description: string, background: string): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${this.element(title, description, background)}\n`;
  }

  /** The document's element alone, for a page. */
  element(title: string, description: string, background: string): string {
    const size = `width="${n(this.#width)}" height="${n(this.#height)}" viewBox="0 0 ${n(this.#width)} ${n(this.#height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escapeXml(FONT)}" role="img">`,
      `<title>${escapeXml(title)}</title>`,
      `<desc>${escapeXml(description)}</desc>`,
      `<rect width="100%" height="100%" fill="${background}"/>`,
      ...this.#parts,
      '</svg>',
    ].join('\n');
  }

  group(name: string, draw: () => void): void {
    const start = this.#parts.length;
    draw();
    if (this.#parts.length === start) return;
    this.#parts.splice(start, 0, `<g data-name="${escapeXml(name)}">`);
    this.#parts.push('</g>');
  }

  clip(box: Box, draw: () => void): void {
    const start = this.#parts.length;
    draw();
    if (this.#parts.length === start) return;
    const id = `${this.#ids}clip${++this.#clips}`;
    const rect = `<rect x="${n(box.x)}" y="${n(box.y)}" width="${n(box.w)}" height="${n(box.h)}"/>`;
    this.#parts.splice(start, 0, `<clipPath id="${id}">${rect}</clipPath>`, `<g clip-path="url(#${id})">`);
    this.#parts.push('</g>');
  }

  lines(coords: Coords, stroke: Stroke): void {
    const { values, length } = coords;
    let path = '';
    for (let i = 0; i < length; i += 4) {
      path += `M${n(values[i])} ${n(values[i + 1])}`;
      if (values[i] === values[i + 2]) path += `V${n(values[i + 3])}`;
      else if (values[i + 1] === values[i + 3]) path += `H${n(values[i + 2])}`;
      else path += `L${n(values[i + 2])} ${n(values[i + 3])}`;
    }
    this.#path(path, `fill="none" ${strokeAttributes(stroke)}`);
  }

  polyline(coords: Coords, stroke: Stroke): void {
    if (coords.length >= 4) this.#path(trace(coords), `fill="none" ${strokeAttributes(stroke)}`);
  }

  steps(coords: Coords, stroke: Stroke): void {
    if (coords.length >= 4) this.#path(stepTrace(coords), `fill="none" ${strokeAttributes(stroke)}`);
  }

  stepArea(coords: Coords, foot: number, fill: Fill): void {
    if (coords.length < 4) return;
    this.#path(`${stepTrace(coords)}V${n(foot)}H${n(coords.values[0])}Z`, fillAttributes(fill));
  }

  rects(coords: Coords, fill: Fill): void {
    const { values, length } = coords;
    let path = '';
    for (let i = 0; i < length; i += 4) {
      const [x, y, w, h] = [values[i], values[i + 1], values[i + 2], values[i + 3]];
      path += `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`;
    }
    this.#path(path, fillAttributes(fill));
  }

  circles(coords: Coords, radius: number, fill: Fill | null, stroke: Stroke | null): void {
    const { values, length } = coords;
    const r = n(radius);
    let path = '';
    for (let i = 0; i < length; i += 2) {
      path += `M${n(values[i] - radius)} ${n(values[i + 1])}a${r} ${r} 0 1 0 ${n(2 * radius)} 0a${r} ${r} 0 1 0 ${n(-2 * radius)} 0Z`;
    }
    const inside = fill ? fillAttributes(fill) : 'fill="none"';
    this.#path(path, stroke ? `${inside} ${strokeAttributes(stroke)}` : inside);
  }

  marks(coords: Coords, mark: Mark, radius: number, fill: Fill | null, stroke: Stroke | null): void {
    if (mark === 'circle') {
      this.circles(coords, radius, fill, stroke);
      return;
    }
    const { values, length } = coords;
    let path = '';
    for (let i = 0; i < length; i += 2) {
      const corners = CORNERS[mark].map(
        ([x, y]) => `${n(values[i] + x * radius)} ${n(values[i + 1] + y * radius)}`,
      );
      path += `M${corners.join('L')}Z`;
    }
    const inside = fill ? fillAttributes(fill) : 'fill="none"';
    this.#path(path, stroke ? `${inside} ${strokeAttributes(stroke)}` : inside);
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const attributes = [
      `x="${n(x)}"`,
      `y="${n(y)}"`,
      `font-size="${n(style.size)}"`,
      `fill="${style.color}"`,
    ];
    const dy = style.baseline === 'top' ? 0.8 : style.baseline === 'bottom' ? -0.2 : 0.35;
    attributes.push(`dy="${dy}em"`);
    if (style.align !== undefined && style.align !== 'start') attributes.push(`text-anchor="${style.align}"`);
    if (style.bold === true) attributes.push('font-weight="600"');
    if (style.upright === true) attributes.push(`transform="rotate(-90 ${n(x)} ${n(y)})"`);
    if (style.halo !== undefined) {
      attributes.push(`stroke="${style.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`);
    }
    this.#parts.push(`<text ${attributes.join(' ')}>${escapeXml(text)}</text>`);
  }

  textWidth(text: string, size: number): number {
    return this.#measure(text, size);
  }

  #path(path: string, attributes: string): void {
    if (path !== '') this.#parts.push(`<path d="${path}" ${attributes}/>`);
  }
}

function trace(coords: Coords): string {
  const { values, length } = coords;
  let path = `M${n(values[0])} ${n(values[1])}`;
  for (let i = 2; i < length; i += 2) {
    if (values[i + 1] === values[i - 1]) path += `H${n(values[i])}`;
    else if (values[i] === values[i - 2]) path += `V${n(values[i + 1])}`;
    else path += `L${n(values[i])} ${n(values[i + 1])}`;
  }
  return path;
}

function stepTrace(coords: Coords): string {
  const { values, length } = coords;
  let path = `M${n(values[0])} ${n(values[1])}`;
  for (let i = 2; i < length; i += 2) {
    if (values[i] !== values[i - 2]) path += `H${n(values[i])}`;
    if (values[i + 1] !== values[i - 1]) path += `V${n(values[i + 1])}`;
  }
  return path;
}

function strokeAttributes(stroke: Stroke): string {
  const parts = [`stroke="${stroke.color}"`, `stroke-width="${n(stroke.width)}"`, 'stroke-linejoin="round"'];
  if (stroke.dash) parts.push(`stroke-dasharray="${stroke.dash.map(n).join(' ')}"`);
  if (stroke.alpha !== undefined) parts.push(`stroke-opacity="${n(stroke.alpha)}"`);
  return parts.join(' ');
}

function fillAttributes(fill: Fill): string {
  return fill.alpha === undefined
    ? `fill="${fill.color}"`
    : `fill="${fill.color}" fill-opacity="${n(fill.alpha)}"`;
}

/** A number with at most two decimals. */
function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Makes a text safe inside an element and inside an attribute. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
