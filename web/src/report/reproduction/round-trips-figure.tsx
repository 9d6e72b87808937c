import { lastAtMost, lowerBound } from '../../lib/search';
import type { RunIndex } from '../../series/run-index';
import type { Line, Point } from './line-plot';
import { RunPlots, type RunFigure } from './run-plots';

/** The round-trip time of each packet against its number, with the timer, as jacobson1988 draws figures 5 and 6. */
export function RoundTripsFigure(props: RunFigure) {
  return (
    <RunPlots {...props} across="Packet" up="Seconds" linesOf={roundTripLines}>
      <b>Round-trip times and timer.</b> A dot is a packet: how long after it was sent its acknowledgement
      came. Packets are numbered as they were sent, retransmissions included; those have no dot, as which copy
      was acknowledged is not known. The solid line is the timeout that was in force when each was sent.
    </RunPlots>
  );
}

/** The packets of a flow, joined by a dashed line, and the timer. What was sent again or never acknowledged has no dot. */
export function roundTripLines(flows: readonly Pick<RunIndex, 'series'>[]): readonly Line[] {
  return flows.flatMap(({ series: { data, acks, state } }) => {
    const trips: Point[] = [];
    const timeouts: Point[] = [];
    let number = 0;
    let reached = -1;
    for (let i = 0; i < data.length; i++) {
      if (data.len[i] === 0) continue;
      number += 1;
      const sent = data.t[i];
      // Acknowledgements are cumulative: the first that covers the packet and came after it was sent.
      const covering = lowerBound(acks.ack, data.seq[i] + data.len[i]);
      const answer = Math.max(covering, lowerBound(acks.t, sent));
      const again = data.seq[i] < reached;
      reached = Math.max(reached, data.seq[i] + data.len[i]);
      if (answer < acks.length && !again) trips.push({ x: number, y: (acks.t[answer] - sent) / 1e9 });
      const known = lastAtMost(state.t, sent);
      if (known >= 0 && state.rto[known] >= 0) timeouts.push({ x: number, y: state.rto[known] / 1e9 });
    }
    return [
      { name: 'round-trip time of a packet', hue: 0, dashed: true, dots: true, points: trips },
      { name: 'RTO', hue: 1, points: timeouts },
    ].filter((line) => line.points.length > 0);
  });
}
