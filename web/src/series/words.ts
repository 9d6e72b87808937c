import { Direction } from './types';

/** Why a segment was sent, in words. The keys are those of the engine. */
const CAUSES: Readonly<Record<string, string>> = {
  handshake: 'handshake',
  'new-data': 'new data that the windows allow',
  'limited-transmit': 'limited transmit: new data on an early duplicate ACK (RFC 3042)',
  'detector-probe': 'new data while the detector waits for the next ACK',
  'fast-retransmit': 'fast retransmit: first of a fast recovery',
  'partial-ack': 'a partial ACK showed the next hole (RFC 6582)',
  'sack-hole': 'a hole on the SACK scoreboard (RFC 6675)',
  rescue: 'rescue retransmission at the end of the scoreboard (RFC 6675)',
  timeout: 'the retransmission timer fired',
  'after-timeout': 'going back N in slow start after a timeout',
  'window-probe': 'zero-window probe',
  fin: 'end of the stream',
  ack: 'pure acknowledgement',
  reset: 'reset',
  'go-back': 'going back N in slow start after a fast retransmit (Tahoe)',
  'lost-by-time': 'deemed lost by the time since it was sent (RACK, RFC 8985)',
  'loss-probe': 'tail loss probe (RFC 8985)',
};

/** What dropped a packet, in words. */
const DROPS: Readonly<Record<string, string>> = {
  'queue-overflow': 'the queue was full',
  'queue-early': 'the queue dropped it early, before it was full',
  'random-loss': 'random loss on the link',
  'bit-error': 'a bit error on the link',
  outage: 'an outage of the link',
  chosen: 'the script chose this packet',
  'arq-gave-up': 'the link layer gave up retransmitting',
  policer: 'a policer found it to exceed its rate and burst',
  'ack-thinned': 'a later acknowledgement took its place, and says all that it did',
  unknown: 'the kernel does not report why',
};

const REASONS: Readonly<Record<string, string>> = {
  delayed: 'nothing was lost, it was only late',
  'ack-lost': 'the data had arrived, the acknowledgements were lost',
  'data-lost': 'the data were lost',
};

const spaced = (name: string) => name.replaceAll('-', ' ');

/** Why a segment was sent. */
export const causeInWords = (name: string): string => CAUSES[name] ?? spaced(name);
/** What dropped a packet. */
export const dropInWords = (name: string): string => DROPS[name] ?? spaced(name);
/** Why a verdict is as it is. */
export const reasonInWords = (name: string): string => REASONS[name] ?? spaced(name);
/** A congestion phase, an impairment. */
export const nameInWords = spaced;

/** `down` or `up`. */
export function directionInWords(direction: number): string {
  return direction === Direction.Down ? 'down' : 'up';
}

/** The drop causes that mean congestion rather than a bad link. */
const CONGESTION: ReadonlySet<string> = new Set(['queue-overflow', 'queue-early']);

/** The places of those causes in a series' list of them. */
export const congestionIn = (causes: readonly string[]): ReadonlySet<number> =>
  new Set(causes.flatMap((cause, place) => (CONGESTION.has(cause) ? [place] : [])));
