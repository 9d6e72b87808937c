import type { Ns } from '../lib/brand';
import { Coords } from '../paint/coords';
import type { Palette } from '../paint/palette';
import type { Box, Surface } from '../paint/surface';
import type { Layout } from './layout';

const coords = new Coords();

/** Draws the hairline at a place, with its instant on the axis. */
export function drawCursor(
  surface: Surface,
  layout: Layout,
  palette: Palette,
  x: number,
  label: string,
): void {
  const { plot, axis } = layout;
  if (x < plot.x || x > plot.x + plot.w) return;
  coords.clear().push4(x, plot.y, x, axis.y);
  surface.lines(coords, { color: palette.muted, width: 1, alpha: 0.7, crisp: true });
  const half = surface.textWidth(label, 11) / 2 + 5;
  const middle = Math.max(plot.x + half, Math.min(plot.x + plot.w - half, x));
  coords.clear().push4(middle - half, axis.y + 4, 2 * half, 17);
  surface.rects(coords, { color: palette.text });
  surface.text(middle, axis.y + 13, label, { color: palette.background, size: 11, align: 'middle' });
}

/** Draws the box that is being dragged; of a band its width alone counts. */
export function drawBox(surface: Surface, layout: Layout, palette: Palette, box: Box, band: boolean): void {
  const { plot, axis } = layout;
  const { y, h } = band ? { y: plot.y, h: axis.y - plot.y } : box;
  coords.clear().push4(box.x, y, box.w, h);
  surface.rects(coords, { color: palette.selection, alpha: 0.14 });
  const [x0, x1] = [box.x, box.x + box.w];
  coords.clear().push4(x0, y, x0, y + h);
  coords.push4(x1, y, x1, y + h);
  if (!band) {
    coords.push4(x0, y, x1, y);
    coords.push4(x0, y + h, x1, y + h);
  }
  surface.lines(coords, { color: palette.selection, width: 1, crisp: true });
}

/** An instant of the axis, as fine as the view tells instants apart. */
export function instantOnAxis(t: Ns, decimals: number, signed: boolean): string {
  const sign = !signed || t === 0 ? '' : t < 0 ? '−' : '+';
  const size = signed ? Math.abs(t) : t;
  return `${sign}${(size / 1e9).toFixed(decimals)} s`;
}
