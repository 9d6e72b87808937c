/** What the link told at an instant: octets carried since the link stands. */
export interface Reading {
  /** When it was told, in ms since 1970. */
  readonly at: number;
  /** Since when the link stands: counts begin anew with each link. */
  readonly since: string;
  readonly down: number;
  readonly up: number;
}

/** How far back readings are kept: long enough for a number that one can read, short enough to follow a hold. */
const WINDOW_MS = 3000;

/** The readings with one more, of the same link and not older than the window before the newest. */
export function withReading(readings: readonly Reading[], newest: Reading): readonly Reading[] {
  const kept = readings.filter(({ at, since }) => since === newest.since && newest.at - at <= WINDOW_MS);
  return [...kept, newest];
}

/** Bits a second that the link has carried between the oldest and the newest reading; null before there are two. */
export function throughput(readings: readonly Reading[], way: 'down' | 'up'): number | null {
  const oldest = readings.at(0);
  const newest = readings.at(-1);
  if (!oldest || !newest || newest.at <= oldest.at) return null;
  return ((newest[way] - oldest[way]) * 8000) / (newest.at - oldest.at);
}
