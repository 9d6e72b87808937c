import type { RunIndex } from '../series/run-index';
import { Verdict } from '../series/types';

/** What can be shown and hidden in the plot. */
export const LAYERS = [
  'segments',
  'necessary',
  'unnecessary',
  'unknown',
  'drops',
  'arrivals',
  'acks',
  'window',
  'sacks',
  'timeouts',
  'fast',
] as const;
export type LayerId = (typeof LAYERS)[number];

/** The lanes below the plot, from the top. */
export const LANES = ['detector', 'link', 'rate', 'delay', 'queue', 'limits', 'cwnd', 'timer'] as const;
export type LaneId = (typeof LANES)[number];

export type PartId = LayerId | LaneId;

/** Parts that are hidden until asked for. */
export const HIDDEN_AT_FIRST: readonly PartId[] = ['arrivals'];

/** The words of the legend. */
export const PART_LABELS: Readonly<Record<PartId, string>> = {
  segments: 'data segment',
  necessary: 'retransmission, necessary',
  unnecessary: 'retransmission, unnecessary',
  unknown: 'retransmission, verdict unknown',
  drops: 'lost on the link',
  arrivals: 'arrival at the receiver',
  acks: 'ACK',
  window: 'receive window',
  sacks: 'SACK, D-SACK',
  timeouts: 'timeout',
  fast: 'fast retransmit',
  detector: 'detector',
  link: 'link',
  rate: 'rate',
  delay: 'delay',
  queue: 'queue',
  limits: 'limited by',
  cwnd: 'cwnd',
  timer: 'RTO',
};

/** Whether any of these runs has anything to show in this part. */
export function isPresent(part: PartId, runs: readonly RunIndex[]): boolean {
  return runs.some((run) => has(part, run));
}

/** Whether it is known what the link did: of a run it is, and of captures from elsewhere where they show some of it. */
function tellsLink({ series: { run, link } }: RunIndex): boolean {
  const { holds, outages, bad, drops, marks } = link;
  return run !== null || [holds, outages, bad, drops, marks].some(({ length }) => length > 0);
}

function has(part: PartId, index: RunIndex): boolean {
  const { series } = index;
  switch (part) {
    case 'necessary':
      return index.byVerdict[Verdict.Necessary].rows.length > 0;
    case 'unnecessary':
      return index.byVerdict[Verdict.Unnecessary].rows.length > 0;
    case 'unknown':
      return index.byVerdict[Verdict.Unknown].rows.length > 0;
    case 'drops':
      return index.dropped.rows.length > 0;
    case 'sacks':
      return series.sacks.length > 0;
    case 'timeouts':
      return series.timeouts.length > 0;
    case 'fast':
      return series.fast_retransmits.length > 0;
    case 'detector':
      return series.detector.length > 0;
    case 'arrivals':
      return series.data.arrived.some((t) => t >= 0);
    case 'rate':
      // A rate that never changes needs no lane.
      return index.rates.some((steps) => steps.t.length > 1);
    case 'delay':
      return index.delays.some((steps) => steps.t.length > 0);
    case 'limits':
      return series.limits.length > 0;
    case 'window':
      return index.tellsWindows;
    case 'cwnd':
    case 'timer':
      return series.state.length > 0;
    case 'link':
      return tellsLink(index);
    case 'queue':
      return series.run !== null || series.link.queue.down.length + series.link.queue.up.length > 0;
    case 'segments':
    case 'acks':
      return true;
  }
}
