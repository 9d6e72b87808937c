import type { Schema } from '../../api/client';
import { formatRate, groupThousands } from '../../lib/format';

type Change = Schema<'LinkChange'>;
type Plane = Schema<'EmulatorPlane'>;
type DirectionState = Schema<'EmulatorDirection'>;

/** What `windlull link` calls the directions, in a sentence. */
export const WHERE = { both: 'both ways', down: 'down', up: 'up' } as const satisfies Record<
  Change['direction'],
  string
>;

/** What plays the link. */
export const planeInWords = (plane: Plane['name']): string =>
  plane === 'netem' ? 'The kernel’s netem' : 'Our model';

/** Why a plane cannot be chosen; nothing if each can. */
export function whyNot(planes: readonly Plane[]): string | undefined {
  const broken = planes.filter(({ works }) => !works);
  return (
    broken.map(({ name, why }) => `${planeInWords(name)} does not work here: ${why ?? ''}`).join(' ') ||
    undefined
  );
}

/** A change by hand, but for how long: `set rate 64 kbit/s, loss 1 %, down`. */
export function changeInWords({ kind, direction, set }: Pick<Change, 'kind' | 'direction' | 'set'>): string {
  const settings = Object.entries(set ?? {}).flatMap(([key, value]) => (value ? [`${key} ${value}`] : []));
  return [[kind, settings.join(', ')].join(' ').trim(), WHERE[direction]].join(', ');
}

/** The rate in force. */
export function rateInWords({ rate_bps }: DirectionState): string {
  if (rate_bps === null) return 'no limit';
  return rate_bps === 0 ? 'nothing: the trace has no opportunity to send' : formatRate(rate_bps);
}

/** The delay in force, one way. */
export function delayInWords({ delay_ms }: DirectionState): string {
  return delay_ms === null ? 'drawn for each packet' : `${Number(delay_ms.toFixed(3))} ms`;
}

/** What the link does with what comes. */
export function doesInWords({ held, dropping }: DirectionState): string {
  if (held) return dropping ? 'holds, and drops arrivals' : 'holds everything';
  return dropping ? 'drops everything' : 'delivers';
}

/** Packets that did not arrive, by cause: `12 queue, 3 loss`. */
export function lostInWords({ dropped }: DirectionState): string {
  const causes = Object.entries(dropped).filter(([, count]) => count > 0);
  return causes.map(([cause, count]) => `${groupThousands(count)} ${cause}`).join(', ') || 'none';
}
