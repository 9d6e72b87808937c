import type { RunIndex } from '../../series/run-index';
import type { Line, Point } from './line-plot';
import { RunPlots, type RunFigure } from './run-plots';

/** Every segment of every flow against the time it was sent, as jacobson1988 draws figures 8 and 9. */
export function ConversationsFigure(props: RunFigure) {
  return (
    <RunPlots {...props} across="Time sent (s)" up="Sequence number (kB)" linesOf={flowLines} everyFlow>
      <b>All conversations.</b> A dot is a packet: the time it was sent, and its sequence number. Two dots at
      one height are a packet and its retransmission.
    </RunPlots>
  );
}

/** The dots of each flow. */
export function flowLines(flows: readonly Pick<RunIndex, 'series'>[]): readonly Line[] {
  return flows.map(({ series: { data } }, hue) => {
    const points: Point[] = [];
    for (let i = 0; i < data.length; i++) {
      if (data.len[i] > 0) points.push({ x: data.t[i] / 1e9, y: data.seq[i] / 1e3 });
    }
    return { name: `conversation ${hue + 1}`, hue, dots: true, joined: false, points };
  });
}
