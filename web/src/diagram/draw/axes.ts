import type { Coords } from '../../paint/coords';
import type { Palette } from '../../paint/palette';
import type { Surface } from '../../paint/surface';
import type { Layout } from '../layout';

/** What axes are drawn with. */
interface On {
  readonly surface: Surface;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly coords: Coords;
}

/** One mark of an axis: where, CSS pixels, and its word. */
export interface AxisMark {
  readonly at: number;
  readonly label: string;
}

/** Draws hairlines through plot and lanes at instants, and through the plot at sequence numbers, with those' words. */
export function drawGridLines(
  on: On,
  times: readonly AxisMark[],
  heights: readonly AxisMark[],
  title: string,
): void {
  const { surface, layout, palette, coords } = on;
  const { plot, axis, roomy } = layout;
  coords.clear();
  for (const { at } of times) coords.push4(at, plot.y, at, axis.y);
  for (const { at } of heights) coords.push4(plot.x, at, plot.x + plot.w, at);
  surface.lines(coords, { color: palette.grid, width: 1, crisp: true });
  for (const { at, label } of heights) {
    if (at < plot.y + 4 || at > plot.y + plot.h + 1) continue;
    surface.text(plot.x - 7, at, label, { color: palette.muted, size: 11, align: 'end' });
  }
  const style = { color: palette.text, size: 11.5 } as const;
  if (roomy) surface.text(12, plot.y + plot.h / 2, title, { ...style, align: 'middle', upright: true });
  else surface.text(plot.x + 6, plot.y + 11, title, { ...style, halo: palette.background });
}

/** Draws the time axis below everything, and the edges of the plot. */
export function drawAxisBelow(on: On, times: readonly AxisMark[], title: string): void {
  const { surface, layout, palette, coords } = on;
  const { axis, plot } = layout;
  coords.clear();
  coords.push4(plot.x, plot.y + plot.h, plot.x + plot.w, plot.y + plot.h);
  coords.push4(plot.x, plot.y, plot.x, plot.y + plot.h);
  coords.push4(axis.x, axis.y, axis.x + axis.w, axis.y);
  for (const { at } of times) coords.push4(at, axis.y, at, axis.y + 4);
  surface.lines(coords, { color: palette.axis, width: 1, crisp: true });
  for (const { at, label } of times) {
    surface.text(at, axis.y + 13, label, { color: palette.muted, size: 11, align: 'middle' });
  }
  const middle = axis.x + axis.w / 2;
  surface.text(middle, axis.y + 29, title, { color: palette.text, size: 11.5, align: 'middle' });
}
