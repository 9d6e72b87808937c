import { formatRate, formatTime, plural } from '../lib/format';
import type { Engine } from '../contract/types';
import type { Certificate } from './report';

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
  const { stalls, achieved_rate: rates, release_error_in_stalls_us: inStalls } = certificate;
  return [
    fact('Link plane', 'what played the link', certificate.plane),
    fact(
      'Release error',
      'actual minus planned release of packets, as the link measured it',
      spreadInWords(certificate.release_error_us),
    ),
    ...(inStalls && inStalls.count !== 0
      ? [
          fact(
            'Release error in stalls',
            'the same of packets due while the machine stood still',
            spreadInWords(inStalls),
          ),
        ]
      : []),
    fact('Wire error', 'the same, from the captures of both hosts', spreadInWords(certificate.wire_error_us)),
    fact(
      'Script error',
      'how late the script’s changes happened',
      spreadInWords(certificate.script_error_us),
    ),
    ...(['down', 'up'] as const).flatMap((direction) => {
      const rate = rates[direction];
      if (!rate) return [];
      const { achieved_bps: achieved, planned_bps: planned } = rate;
      return fact(
        `Rate, ${direction}`,
        'over the longest stretch of work, beside the plan of the same packets',
        `${formatRate(achieved)} of ${formatRate(planned)} planned (${percent(achieved / planned - 1)})`,
      );
    }),
    fact('Stalls', 'the machine itself stood still, as an idle thread saw it', stallsInWords(stalls)),
    fact(
      'Drops outside the link',
      'packets that something other than the link lost',
      [
        `${certificate.capture_drops} by captures`,
        `${certificate.plane_drops} by the plane`,
        `${certificate.host_drops} by hosts`,
      ].join(', '),
    ),
    fact(
      'Offloads',
      'a packet larger than the wire carries, or a checksum left to a card',
      [`${certificate.super_packets} super-packets`, `${certificate.bad_checksums} bad checksums`].join(', '),
    ),
    fact('Unmatched', 'packets that captures and plane do not both have', `${certificate.unmatched} packets`),
    fact(
      'Clock drift',
      'of the clock that stamps packets against the one that runs the link',
      formatMicros(certificate.clock_drift_us),
    ),
  ];
}

/** A time in microseconds in words: `21 µs`, `81 ms`. */
export function formatMicros(value: number): string {
  return formatTime(Math.round(value * 1000));
}

function fact(name: string, meaning: string, text: string | null): CertificateFact {
  return { name, meaning, text };
}

function percent(share: number): string {
  const text = Math.abs(share * 100).toFixed(2);
  return `${Number(text) === 0 ? '' : share < 0 ? '−' : '+'}${text} %`;
}

function stallsInWords({ count, longest_us: longest, total_us: total }: Certificate['stalls']): string {
  if (count === 0) return 'none';
  return `${plural(count, 'stall')}, the longest ${formatMicros(longest)}, ${formatMicros(total)} in all`;
}

function spreadInWords(spread: Engine<'Spread'> | null | undefined): string | null {
  if (!spread) return null;
  const ends = `p50 ${formatMicros(spread.p50)}, p99 ${formatMicros(spread.p99)}, max ${formatMicros(spread.max)}`;
  return `${ends} of ${plural(spread.count, 'packet')}`;
}
