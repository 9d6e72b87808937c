import type { Schema } from '../../api/client';
import { ns, octets, type Ns, type Octets } from '../../lib/brand';
import { Json } from '../../series/json';

/** A timeout of an episode, its verdict, and what the detector answered. */
export interface ToldTimeout {
  readonly ordinal: number;
  readonly at: Ns;
  readonly rto: Ns;
  /** `spurious`, `genuine` or `unknown`. */
  readonly verdict: string;
  readonly reason: string | null;
  readonly answer: string | null;
  readonly answered: Ns | null;
  /** Whether the answer agrees with the verdict; `null` where that cannot be said. */
  readonly right: boolean | null;
}

/** A fast retransmit of an episode and its verdict; detectors judge timeouts alone. */
export interface ToldFastRetransmit {
  readonly at: Ns;
  readonly una: Octets;
  /** `spurious`, `genuine` or `unknown`. */
  readonly verdict: string;
  readonly reason: string | null;
}

interface Window {
  readonly cwnd: Octets;
}

/** What of an episode stands in objects that the API hands over as the engine wrote them (docs/capture-format.md). */
export interface Episode {
  readonly timeouts: readonly ToldTimeout[];
  readonly fastRetransmits: readonly ToldFastRetransmit[];
  readonly before: Window | null;
  readonly after: Window | null;
  readonly cost: {
    readonly packetsLost: number;
    readonly octetsInVain: Octets;
    readonly silence: Ns;
    readonly duration: Ns;
  };
}

/** Reads them. Throws a `DataError` that names the place. */
export function decodeEpisode(told: Schema<'EpisodeTold'>): Episode {
  const json = new Json(told, `episode ${told.number}`);
  const cost = json.get('cost');
  return {
    timeouts: json.get('timeouts').list().map(decodeTimeout),
    fastRetransmits: json.get('fast_retransmits').list().map(decodeFastRetransmit),
    before: json.get('before').optional(decodeWindow),
    after: json.get('after').optional(decodeWindow),
    cost: {
      packetsLost: cost.get('packets_lost').number(),
      octetsInVain: octets(cost.get('octets_in_vain').number()),
      silence: ns(cost.get('silence_ns').number()),
      duration: ns(cost.get('duration_ns').number()),
    },
  };
}

function decodeWindow(json: Json): Window {
  return { cwnd: octets(json.get('cwnd_bytes').number()) };
}

function decodeFastRetransmit(json: Json): ToldFastRetransmit {
  return {
    at: ns(json.get('at_ns').number()),
    una: octets(json.get('una').number()),
    verdict: json.get('verdict').string(),
    reason: json.get('reason').optional((one) => one.string()),
  };
}

function decodeTimeout(json: Json): ToldTimeout {
  const text = (key: string) => json.get(key).optional((one) => one.string());
  const verdict = json.get('verdict').string();
  const answer = text('answer');
  const judged = verdict === 'spurious' || verdict === 'genuine';
  return {
    ordinal: json.get('ordinal').number(),
    at: ns(json.get('at_ns').number()),
    rto: ns(json.get('rto_ns').number()),
    verdict,
    reason: text('reason'),
    answer,
    answered: json.get('answered_ns').optional((one) => ns(one.number())),
    right: judged && (answer === 'spurious' || answer === 'genuine') ? answer === verdict : null,
  };
}
