import type { CssPx, Ns } from '../../lib/brand';
import { lastAtMost, stepRange } from '../../lib/search';
import type { Palette } from '../../paint/palette';
import type { Box } from '../../paint/surface';
import { nameInWords } from '../../series/words';
import type { Frame } from '../frame';
import { bandLabel } from './events';
import { drawLane } from './lanes';

/** A stretch of the lane with one limit, in pixels, and how long it is in time. */
interface Stretch {
  readonly by: number;
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

/** What holds the sender from sending more, over time: a band for each stretch with one limit. */
export function drawLimitsLane(frame: Frame): void {
  const { surface, layout, palette, index, coords } = frame;
  const box = layout.lanes.get('limits');
  if (!box) return;
  const { names } = index.series;
  const stretches = stretchesIn(frame, box);
  surface.clip(box, () => {
    names.limit.forEach((name, by) => {
      coords.clear();
      for (const one of stretches) {
        if (one.by === by) coords.push4(one.left, box.y + 2, one.right - one.left, box.h - 3);
      }
      surface.rects(coords, fillOf(name, palette));
    });
    for (const { by, left, right, length } of stretches) {
      const label = bandLabel(nameInWords(names.limit[by]), length, right - left, (text) =>
        surface.textWidth(text, 10),
      );
      if (label === '') continue;
      surface.text((left + right) / 2, box.y + box.h / 2 + 0.5, label, {
        color: palette.text,
        size: 10,
        align: 'middle',
        halo: palette.background,
      });
    }
  });
  drawLane(frame, box, 'Limit', []);
}

/** The stretches in view. Where they are denser than pixels, each pixel column has the limit at its middle. */
function stretchesIn({ x, view, index }: Frame, box: Box): Stretch[] {
  const { limits, duration } = index.series;
  const [from, to] = stepRange(limits.t, view.t0, view.t1);
  const stretches: Stretch[] = [];
  const push = (by: number, begin: number, end: number) => {
    const left = Math.max(box.x, x.toPx(begin as Ns));
    const right = Math.min(box.x + box.w, x.toPx(end as Ns));
    if (by >= 0 && right > left) stretches.push({ by, left, right, length: end - begin });
  };
  if (to - from <= box.w) {
    for (let i = from; i < to; i++) {
      push(limits.by[i], limits.t[i], i + 1 < limits.length ? limits.t[i + 1] : duration);
    }
    return stretches;
  }
  let by = -1;
  let begin = 0;
  for (let column = 0; column < box.w; column++) {
    const i = lastAtMost(limits.t, x.fromPx((box.x + column + 0.5) as CssPx));
    const here = i < 0 ? -1 : limits.by[i];
    if (here === by) continue;
    const at = x.fromPx((box.x + column) as CssPx);
    push(by, begin, at);
    [by, begin] = [here, at];
  }
  push(by, begin, Math.min(duration, x.fromPx((box.x + box.w) as CssPx)));
  return stretches;
}

/** Each limit in the colour of what it is about elsewhere in the diagram. */
function fillOf(name: string, palette: Palette): { readonly color: string; readonly alpha: number } {
  switch (name) {
    case 'receive-window':
      return { color: palette.window, alpha: 0.55 };
    case 'congestion-window':
      return { color: palette.segment, alpha: 0.22 };
    case 'pacing':
      return { color: palette.setting, alpha: 0.4 };
    case 'recovery':
      return { color: palette.necessary, alpha: 0.4 };
    default:
      return { color: palette.axis, alpha: 0.12 };
  }
}
