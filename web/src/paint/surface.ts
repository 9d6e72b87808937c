import type { Coords } from './coords';
import type { Mark } from './marks';

/** A rectangle in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Stroke {
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[];
  readonly alpha?: number;
  /** Put on whole device pixels where the surface has such: for hairlines that are upright or level. */
  readonly crisp?: boolean;
}

export interface Fill {
  readonly color: string;
  readonly alpha?: number;
}

export interface TextStyle {
  readonly color: string;
  readonly size: number;
  readonly align?: 'start' | 'middle' | 'end';
  /** What of the text stands at `y`; the middle unless told. */
  readonly baseline?: 'top' | 'middle' | 'bottom';
  readonly bold?: boolean;
  /** Turned by a quarter against the clock. */
  readonly upright?: boolean;
  /** A rim in this colour, so that the text can be read over lines. */
  readonly halo?: string;
}

/**
 * What the diagram draws on. Shapes come in batches, all in CSS pixels, so that a canvas strokes one path and an SVG
 * holds one element per batch.
 */
export interface Surface {
  /** Gives what `draw` draws a name (an SVG group). */
  group(name: string, draw: () => void): void;
  /** Cuts what `draw` draws off at the box. */
  clip(box: Box, draw: () => void): void;
  /** Lines that do not touch: x1 y1 x2 y2 each. */
  lines(coords: Coords, stroke: Stroke): void;
  /** One line through all points: x y each. */
  polyline(coords: Coords, stroke: Stroke): void;
  /** A line whose height holds from each point to the next: x y each. Dashes are on level pieces alone. */
  steps(coords: Coords, stroke: Stroke): void;
  /** The area between such a line and a level. */
  stepArea(coords: Coords, foot: number, fill: Fill): void;
  /** Rectangles: x y width height each. */
  rects(coords: Coords, fill: Fill): void;
  /** Circles of one radius: x y each; filled, stroked or both. */
  circles(coords: Coords, radius: number, fill: Fill | null, stroke: Stroke | null): void;
  /** Marks of one shape and size: x y each; filled, stroked or both. */
  marks(coords: Coords, mark: Mark, radius: number, fill: Fill | null, stroke: Stroke | null): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  /** About how wide a text is. */
  textWidth(text: string, size: number): number;
}

/** The font of all text in the diagram. */
export const FONT =
  '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';

/** Measures a text of a size, in CSS pixels. */
export type MeasureText = (text: string, size: number) => number;

/** About how wide a text is where no canvas can be asked. */
export function estimatedTextWidth(text: string, size: number): number {
  return text.length * size * 0.54;
}
