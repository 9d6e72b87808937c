/** By what a packet is given the fate of a recorded one (docs/replay.md). */
export type ReplayBy = 'packet' | 'time' | 'octets';

export interface ReplayWay {
  readonly by: ReplayBy;
  /** It ends `the fate of the recorded packet`. */
  readonly title: string;
  /** What it fits. */
  readonly about: string;
}

/** All ways, the usual one first. */
export const REPLAY_WAYS: readonly ReplayWay[] = [
  { by: 'packet', title: 'with the same number', about: 'Fits losses that packets suffer.' },
  {
    by: 'time',
    title: 'sent last by that time',
    about: 'Fits pauses and outages, which begin and end whatever is sent.',
  },
  {
    by: 'octets',
    title: 'with the same octets',
    about: 'Fits variants that send the same data in another order, or again.',
  },
];

/** A way by its word; null if there is none. */
export function replayWay(by: string | null): ReplayWay | null {
  return REPLAY_WAYS.find((way) => way.by === by) ?? null;
}
