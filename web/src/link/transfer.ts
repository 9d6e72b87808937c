import type { Direction } from '../api/client';
import { ns, type Ns } from '../lib/brand';
import type { PreviewPath } from './preview-model';
import { isTimed, type ScriptEvent, type TimedEvent } from './script';

/** What a run carries over the link, as far as that is known before it. */
export interface Transfer {
  readonly octets: number;
  /** The direction of its data. */
  readonly way: Direction;
}

/**
 * The least time that so many octets take on a path, from the start of a run: at its rate, without headers, waiting,
 * losses and holds, none of which makes it shorter. Null if they take longer than the path is told.
 */
export function leastTime({ rate }: PreviewPath, octets: number, until: Ns): Ns | null {
  let bits = octets * 8;
  for (const [i, bps] of rate.bps.entries()) {
    const from = rate.t_ns[i];
    if (bps === null) return ns(from);
    const most = (bps * ((rate.t_ns.at(i + 1) ?? until) - from)) / 1e9;
    if (most >= bits) return ns(from + Math.ceil((bits / bps) * 1e9));
    bits -= most;
  }
  return null;
}

/** Events that begin when the transfer may be over: a run ends with it, and does not come to what is later. */
export function perhapsTooLate(events: readonly ScriptEvent[], least: Ns): readonly TimedEvent[] {
  return events.filter(isTimed).filter(({ at }) => at >= least);
}
