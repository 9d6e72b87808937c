import type { Ns, Octets } from '../lib/brand';
import { Coords } from '../paint/coords';
import type { Box } from '../paint/surface';
import type { Frame } from './frame';
import type { Pick } from './pick';

/** What is drawn above the scene and changes with every move of the pointer. */
export interface OverlayState {
  /** The time under the pointer, here or in a linked diagram. */
  readonly cursor: Ns | null;
  readonly pick: Pick | null;
  readonly box: Box | null;
  /** Whether the box counts for its width alone. */
  readonly band: boolean;
}

const coords = new Coords();

/** Draws the cursor's hairline, the mark of what is picked with its other copies, and the box being dragged. */
export function drawOverlay(frame: Frame, state: OverlayState): void {
  const { surface, layout, palette, x } = frame;
  const { plot, axis } = layout;
  if (state.cursor !== null) {
    const at = x.toPx(state.cursor);
    if (at >= plot.x && at <= plot.x + plot.w) {
      coords.clear().push4(at, plot.y, at, axis.y);
      surface.lines(coords, { color: palette.muted, width: 1, alpha: 0.7, crisp: true });
      const label = `${(state.cursor / 1e9).toFixed(3)} s`;
      const half = surface.textWidth(label, 11) / 2 + 5;
      const middle = Math.max(plot.x + half, Math.min(plot.x + plot.w - half, at));
      coords.clear().push4(middle - half, axis.y + 4, 2 * half, 17);
      surface.rects(coords, { color: palette.text });
      surface.text(middle, axis.y + 13, label, { color: palette.background, size: 11, align: 'middle' });
    }
  }
  if (state.pick !== null) drawPick(frame, state.pick);
  if (state.box !== null) {
    const { y, h } = state.band ? { y: plot.y, h: axis.y - plot.y } : state.box;
    coords.clear().push4(state.box.x, y, state.box.w, h);
    surface.rects(coords, { color: palette.selection, alpha: 0.14 });
    const [x0, x1] = [state.box.x, state.box.x + state.box.w];
    coords.clear().push4(x0, y, x0, y + h);
    coords.push4(x1, y, x1, y + h);
    if (!state.band) {
      coords.push4(x0, y, x1, y);
      coords.push4(x0, y + h, x1, y + h);
    }
    surface.lines(coords, { color: palette.selection, width: 1, crisp: true });
  }
}

function drawPick(frame: Frame, pick: Pick): void {
  const { surface, layout, palette, index, x, y } = frame;
  const { data } = index.series;
  surface.clip({ ...layout.plot, x: layout.plot.x - 8, w: layout.plot.w + 16 }, () => {
    if (pick.row < 0) return;
    const copies = index.copiesOf(data.seq[pick.row]);
    const height = y.toPx((data.seq[pick.row] + data.len[pick.row] / 2) as Octets);
    const places = copies.map((row) => x.toPx(data.t[row] as Ns));
    coords.clear();
    for (const at of places) coords.push2(at, height);
    surface.polyline(coords, { color: palette.text, width: 1, dash: [2, 3] });
    surface.circles(coords, 5, null, { color: palette.muted, width: 1.2 });
    // When the picked copy arrived.
    const arrived = data.arrived[pick.row];
    if (arrived >= 0) {
      const at = x.toPx(arrived as Ns);
      coords.clear().push4(pick.x, height, at, height);
      coords.push4(at - 5, height - 3.5, at, height);
      coords.push4(at - 5, height + 3.5, at, height);
      surface.lines(coords, { color: palette.text, width: 1.2 });
    }
    coords.clear().push2(pick.x, pick.y);
    surface.circles(coords, 7, null, { color: palette.text, width: 1.8 });
  });
}
