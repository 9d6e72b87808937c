import type { Direction } from '../api/client';
import type { Ns, CssPx } from '../lib/brand';
import { px } from '../lib/brand';
import { formatRate } from '../lib/format';
import { LinearScale } from '../lib/scale';
import { niceValues, timeTicks } from '../lib/ticks';
import { CanvasSurface } from '../paint/canvas-surface';
import { Coords } from '../paint/coords';
import { DIRECTION_LINES } from '../paint/directions';
import { LIGHT, type Palette } from '../paint/palette';
import type { Box, Surface } from '../paint/surface';
import { SvgSurface } from '../paint/svg-surface';
import { extents, hasRates, inTime, LINK_DIRECTIONS, type Preview, type Spell } from './preview-model';
import type { TimeWindow } from './window';

/** Where things stand, CSS pixels. The lanes of the timeline have the same left and right. */
export const GUTTER = 84;
export const RIGHT = 14;

/** How large the parts of the figure are, CSS pixels. */
export interface Layout {
  readonly gutter: number;
  readonly strip: number;
  readonly rate: number;
  readonly delay: number;
  readonly gap: number;
  /** Whether each part says what it is and has a scale; one that does not has its largest value. */
  readonly named: boolean;
}

export const WHOLE: Layout = { gutter: GUTTER, strip: 14, rate: 104, delay: 72, gap: 12, named: true };
/** For lists, in which many stand below each other. */
export const SMALL: Layout = { gutter: 70, strip: 5, rate: 44, delay: 30, gap: 5, named: false };

const AXIS = 22;

/** How high the figure is. */
export const heightOf = ({ strip, rate, delay, gap }: Layout): number =>
  4 + 2 * (strip + 3) + gap + rate + gap + delay + AXIS;
export const PREVIEW_HEIGHT = heightOf(WHOLE);

const SPELL_COLOR = { hold: 'hold', outage: 'outage', bad: 'bad' } as const satisfies Record<
  Spell['kind'],
  keyof Palette
>;

interface Figure {
  readonly preview: Preview;
  readonly window: TimeWindow;
  readonly width: number;
  readonly palette: Palette;
  /** Default: `WHOLE`. */
  readonly layout?: Layout;
}

export type Times = LinearScale<Ns>;

/** The axis of time: the same for the timeline's lanes and for the preview. */
export function timeScale({ from, to }: TimeWindow, width: number, gutter: number = GUTTER): Times {
  return new LinearScale(from, to, px(gutter), px(Math.max(gutter + 1, width - RIGHT)));
}

/** How many marks an axis of this width has room for. */
export const marksFor = (width: number): number => Math.max(3, Math.round((width - GUTTER) / 90));

/** Draws the link over time: when each direction is not as it should be, its rate, its propagation delay. */
export function drawPreview(surface: Surface, figure: Figure): void {
  const layout = layoutOf(figure);
  const times = timeScale(figure.window, figure.width, layout.gutter);
  const { bps, delay } = extents(figure.preview);
  let y = 4;
  for (const way of LINK_DIRECTIONS) {
    drawStrip(surface, figure, times, way, y);
    y += layout.strip + 3;
  }
  const rate = panel(figure, y + layout.gap, layout.rate);
  const rates = new LinearScale(0, bps * 1.12, px(rate.y + rate.h), px(rate.y));
  const rateText = hasRates(figure.preview)
    ? (rate: number) => formatRate(layout.named ? rate : Number(rate.toPrecision(3)))
    : () => 'unlimited';
  drawPanel(surface, figure, times, rate, 'Rate', rates, rateText, bps);
  const delays = panel(figure, rate.y + rate.h + layout.gap, layout.delay);
  const spans = new LinearScale(0, delay * 1.15, px(delays.y + delays.h), px(delays.y));
  drawPanel(surface, figure, times, delays, 'Delay', spans, inTime, delay);
  for (const way of LINK_DIRECTIONS) {
    const path = figure.preview[way];
    surface.group(`rate ${way}`, () => {
      // An unlimited rate runs along the top.
      const values = path.rate.bps.map((value) => value ?? bps * 1.1);
      drawSteps(surface, figure, times, rate, way, path.rate.t_ns, values, rates);
    });
    surface.group(`delay ${way}`, () => {
      const { drawn } = path.delay;
      if (drawn) drawBand(surface, figure, delays, spans, way, drawn.p5_ns, drawn.p95_ns);
      const values = path.delay.delay_ns.map((value) => value ?? drawn?.p50_ns ?? 0);
      drawSteps(surface, figure, times, delays, way, path.delay.t_ns, values, spans);
    });
  }
  drawAxis(surface, figure, times, delays.y + delays.h);
}

const layoutOf = ({ layout = WHOLE }: Figure): Layout => layout;

function panel(figure: Figure, y: number, h: number): Box {
  const { gutter } = layoutOf(figure);
  return { x: gutter, y, w: Math.max(1, figure.width - gutter - RIGHT), h };
}

function drawStrip(surface: Surface, figure: Figure, times: Times, way: Direction, y: number): void {
  const { preview, palette } = figure;
  const { gutter, strip, named } = layoutOf(figure);
  const box = panel(figure, y, strip);
  surface.group(`spells ${way}`, () => {
    if (named) surface.text(gutter - 8, y + strip / 2, way === 'down' ? 'Down ↓' : 'Up ↑', label(palette));
    surface.rects(one(box.x, box.y, box.w, box.h), { color: palette.grid, alpha: 0.6 });
    surface.clip(box, () => {
      for (const spell of preview[way].spells) {
        const { left, width } = extent(spell, times);
        surface.rects(one(left, y, width, strip), { color: palette[SPELL_COLOR[spell.kind]] });
      }
    });
  });
}

function drawPanel(
  surface: Surface,
  figure: Figure,
  times: Times,
  box: Box,
  name: string,
  scale: LinearScale<number>,
  format: (value: number) => string,
  largest: number,
): void {
  const { preview, palette, width } = figure;
  const { gutter, named } = layoutOf(figure);
  surface.group(name, () => {
    surface.rects(one(box.x, box.y, box.w, box.h), { color: palette.lane });
    surface.clip(box, () => {
      for (const way of LINK_DIRECTIONS)
        for (const spell of preview[way].spells) {
          const { left, width: wide } = extent(spell, times);
          const color = palette[SPELL_COLOR[spell.kind]];
          surface.rects(one(left, box.y, wide, box.h), { color, alpha: 0.16 });
        }
    });
    const grid = new Coords();
    for (const { value } of timeTicks(times.d0, times.d1, marksFor(width)).marks) {
      const x = times.toPx(value as Ns);
      grid.push4(x, box.y, x, box.y + box.h);
    }
    const values = named ? niceValues(0, scale.d1, box.h / 30, 1) : [0, largest];
    for (const value of values) grid.push4(box.x, scale.toPx(value), box.x + box.w, scale.toPx(value));
    surface.lines(grid, { color: palette.grid, width: 1, crisp: true });
    for (const value of values.slice(1))
      surface.text(gutter - 6, scale.toPx(value), format(value), { ...label(palette), size: 10.5 });
    if (named) surface.text(gutter - 6, box.y + box.h - 5, name, { ...label(palette), bold: true });
  });
}

function drawSteps(
  surface: Surface,
  { palette, window }: Figure,
  times: Times,
  box: Box,
  way: Direction,
  at: readonly number[],
  values: readonly number[],
  scale: LinearScale<number>,
): void {
  const line = new Coords();
  for (const [i, value] of values.entries()) {
    const until = at[i + 1] ?? Infinity;
    if (until < window.from || at[i] > window.to) continue;
    const y = scale.toPx(value);
    line.push2(times.toPx(Math.max(window.from, at[i]) as Ns), y);
    line.push2(times.toPx(Math.min(window.to, until) as Ns), y);
  }
  const { color, dash } = DIRECTION_LINES[way];
  surface.clip(box, () => {
    surface.polyline(line, { color: palette[color], width: 2, ...(dash.length > 0 && { dash }) });
  });
}

function drawBand(
  surface: Surface,
  { palette }: Figure,
  box: Box,
  scale: LinearScale<number>,
  way: Direction,
  low: number,
  high: number,
): void {
  const top = scale.toPx(high);
  surface.rects(one(box.x, top, box.w, scale.toPx(low) - top), {
    color: palette[DIRECTION_LINES[way].color],
    alpha: 0.15,
  });
}

function drawAxis(surface: Surface, figure: Figure, times: Times, y: number): void {
  const { palette, width } = figure;
  const { gutter } = layoutOf(figure);
  const { marks, unit } = timeTicks(times.d0, times.d1, marksFor(width));
  surface.group('time', () => {
    surface.lines(one(gutter, y, width - RIGHT, y), { color: palette.axis, width: 1, crisp: true });
    for (const { value, label: text } of marks) {
      const x = times.toPx(value as Ns);
      surface.lines(one(x, y, x, y + 4), { color: palette.axis, width: 1, crisp: true });
      surface.text(x, y + 13, text, { color: palette.muted, size: 11, align: 'middle' });
    }
    surface.text(gutter - 8, y + 13, `Time (${unit})`, label(palette));
  });
}

function extent({ from_ns, until_ns }: Spell, times: Times): { left: CssPx; width: number } {
  const left = Math.max(-10, times.toPx(from_ns as Ns)) as CssPx;
  const right = until_ns === null ? times.r1 : Math.min(times.r1 + 10, times.toPx(until_ns as Ns));
  // What is shorter than a pixel is seen all the same.
  return { left, width: Math.max(until_ns === null ? 0 : 1, right - left) };
}

function one(a: number, b: number, c: number, d: number): Coords {
  const coords = new Coords();
  coords.push4(a, b, c, d);
  return coords;
}

function label(palette: Palette) {
  return { color: palette.muted, size: 11, align: 'end' } as const;
}

/** The figure as a file, dark on white, 800 pixels wide. */
export function previewSvg(preview: Preview, window: TimeWindow): Blob {
  const surface = new SvgSurface(FILE_WIDTH, PREVIEW_HEIGHT);
  drawPreview(surface, { preview, window, width: FILE_WIDTH, palette: LIGHT });
  const about = `Repetition ${preview.repetition} of seed ${preview.seed}. ${preview.summary.join('. ')}`;
  return new Blob([surface.document(preview.title, about, LIGHT.background)], { type: 'image/svg+xml' });
}

/** The same as PNG, three device pixels to a CSS pixel. */
export function previewPng(preview: Preview, window: TimeWindow): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  paintPreview(canvas, { preview, window, width: FILE_WIDTH, palette: LIGHT }, 3, LIGHT.background);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

const FILE_WIDTH = 800;

/** Paints the figure anew on a canvas with `ratio` device pixels to a CSS pixel; without a ground it is see-through. */
export function paintPreview(
  canvas: HTMLCanvasElement,
  figure: Figure,
  ratio: number,
  ground: string | null = null,
): void {
  canvas.width = Math.round(figure.width * ratio);
  const height = heightOf(layoutOf(figure));
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (!context) return;
  const surface = new CanvasSurface(context, ratio);
  if (ground !== null) {
    context.fillStyle = ground;
    context.fillRect(0, 0, figure.width, height);
  }
  drawPreview(surface, figure);
}
