import { formatRate, formatTime, plural } from '../lib/format';
import type { Certificate, ErrorSpread } from './live';

/** One number of a certificate, in words. */
export interface CertificateFact {
  readonly name: string;
  /** What the name means. */
  readonly meaning: string;
  /** `null`: the testbed did not measure it. */
  readonly text: string | null;
}

/** Every number that says how true to its plan a live run was. */
export function certificateFacts(certificate: Certificate): readonly CertificateFact[] {
  const { stalls, rates, releaseInStalls } = certificate;
  return [
    fact('Link plane', 'what played the link', certificate.plane),
    fact(
      'Release error',
      'actual minus planned release of packets, as the link measured it',
      spreadInWords(certificate.release),
    ),
    ...(releaseInStalls !== null && releaseInStalls.count !== 0
      ? [
          fact(
            'Release error in stalls',
            'the same of packets due while the machine stood still',
            spreadInWords(releaseInStalls),
          ),
        ]
      : []),
    fact('Wire error', 'the same, from the captures of both hosts', spreadInWords(certificate.wire)),
    fact('Script error', 'how late the script’s changes happened', spreadInWords(certificate.script)),
    ...rates.map(({ direction, achieved, planned }) =>
      fact(
        `Rate, ${direction}`,
        'over the longest stretch of work, beside the plan of the same packets',
        `${formatRate(achieved)} of ${formatRate(planned)} planned (${percent(achieved / planned - 1)})`,
      ),
    ),
    fact(
      'Stalls',
      'the machine itself stood still, as an idle thread saw it',
      stalls && stallsInWords(stalls),
    ),
    fact(
      'Drops outside the link',
      'packets that something other than the link lost',
      joined([
        counted(certificate.captureDrops, 'by captures'),
        counted(certificate.planeDrops, 'by the plane'),
        counted(certificate.hostDrops, 'by hosts'),
      ]),
    ),
    fact(
      'Offloads',
      'a packet larger than the wire carries, or a checksum left to a card',
      joined([
        counted(certificate.superPackets, 'super-packets'),
        counted(certificate.badChecksums, 'bad checksums'),
      ]),
    ),
    fact(
      'Unmatched',
      'packets that captures and plane do not both have',
      counted(certificate.unmatched, 'packets'),
    ),
    fact(
      'Clock drift',
      'of the clock that stamps packets against the one that runs the link',
      certificate.clockDriftUs === null ? null : formatMicros(certificate.clockDriftUs),
    ),
  ];
}

/** A time in microseconds in words: `21 µs`, `81 ms`. */
export function formatMicros(value: number): string {
  return formatTime(Math.round(value * 1000));
}

function fact(name: string, meaning: string, text: string | null): CertificateFact {
  return { name, meaning, text: text === '' ? null : text };
}

function percent(share: number): string {
  const text = Math.abs(share * 100).toFixed(2);
  return `${Number(text) === 0 ? '' : share < 0 ? '−' : '+'}${text} %`;
}

function stallsInWords({ count, longestUs, totalUs }: NonNullable<Certificate['stalls']>): string {
  if (count === 0) return 'none';
  const longest = longestUs === null ? '' : `, the longest ${formatMicros(longestUs)}`;
  const total = totalUs === null ? '' : `, ${formatMicros(totalUs)} in all`;
  return `${plural(count, 'stall')}${longest}${total}`;
}

function spreadInWords(spread: ErrorSpread | null): string | null {
  if (spread === null) return null;
  const parts = [
    spread.p50 === null ? null : `p50 ${formatMicros(spread.p50)}`,
    spread.p99 === null ? null : `p99 ${formatMicros(spread.p99)}`,
    spread.max === null ? null : `max ${formatMicros(spread.max)}`,
  ].filter((part) => part !== null);
  const of = spread.count === null ? '' : ` of ${plural(spread.count, 'packet')}`;
  return parts.length === 0 ? null : `${parts.join(', ')}${of}`;
}

function counted(count: number | null, what: string): string | null {
  return count === null ? null : `${count} ${what}`;
}

function joined(parts: readonly (string | null)[]): string | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(', ');
}
