import type { Ns, Octets } from '../../lib/brand';
import { Coords } from '../../paint/coords';
import type { Pick } from '../content';
import type { Frame } from '../frame';

const coords = new Coords();

/** Draws the mark of the segment that is picked, with its other copies and its arrival. */
export function drawPick(frame: Frame, { index, row }: Pick): void {
  const { surface, layout, palette, x, y } = frame;
  const { data } = index.series;
  if (row < 0) return;
  surface.clip({ ...layout.plot, x: layout.plot.x - 8, w: layout.plot.w + 16 }, () => {
    const height = y.toPx((data.seq[row] + data.len[row] / 2) as Octets);
    const sent = x.toPx(data.t[row] as Ns);
    coords.clear();
    for (const copy of index.copiesOf(data.seq[row])) coords.push2(x.toPx(data.t[copy] as Ns), height);
    surface.polyline(coords, { color: palette.text, width: 1, dash: [2, 3] });
    surface.circles(coords, 5, null, { color: palette.muted, width: 1.2 });
    // When the picked copy arrived.
    const arrived = data.arrived[row];
    if (arrived >= 0) {
      const at = x.toPx(arrived as Ns);
      coords.clear().push4(sent, height, at, height);
      coords.push4(at - 5, height - 3.5, at, height);
      coords.push4(at - 5, height + 3.5, at, height);
      surface.lines(coords, { color: palette.text, width: 1.2 });
    }
    coords.clear().push2(sent, height);
    surface.circles(coords, 7, null, { color: palette.text, width: 1.8 });
  });
}
