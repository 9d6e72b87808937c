import type { Schema } from '../../api/client';
import { REPLAY_WAYS, type ReplayWay } from '../../lib/replay';

const CAPTURES = ['server.pcapng', 'client.pcapng'];

/** The ways in which a run can be replayed: none without its fates, and by octets only with both captures. */
export function replaysOf(result: Schema<'RunView'>['result']): readonly ReplayWay[] {
  if (result?.evicted_at !== null) return [];
  const has = (name: string) => result.files.some((file) => file.name === name);
  if (!has('fates.csv')) return [];
  return REPLAY_WAYS.filter(({ by }) => by !== 'octets' || CAPTURES.every(has));
}
