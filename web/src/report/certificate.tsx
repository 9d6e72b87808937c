import type { ReactNode } from 'react';

import { formatRate, plural } from '../lib/format';
import type { Certificate, ErrorSpread } from '../series/live';
import { formatMicros } from './micros';
import { signed } from './values';

/** Whether a run is valid: the word, and a sign that does not need colour. */
export function ValidPill({ valid }: { readonly valid: boolean }) {
  return (
    <span className="pill" data-status={valid ? 'reproduced' : 'not reproduced'}>
      <span aria-hidden="true">{valid ? '✓' : '✗'}</span> {valid ? 'valid' : 'not valid'}
    </span>
  );
}

/** How true to its plan a live run was, with every number that says so. */
export function CertificatePanel({ certificate }: { readonly certificate: Certificate }) {
  const { reasons, stalls, rates } = certificate;
  return (
    <details className="certificate" open={!certificate.valid}>
      <summary>
        Fidelity certificate <ValidPill valid={certificate.valid} />
      </summary>
      {reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map((reason, i) => (
            <li key={i}>{reason}</li>
          ))}
        </ul>
      )}
      <dl className="facts">
        <Fact name="Link plane">{certificate.plane}</Fact>
        <Fact name="Release error" title="actual minus planned release of packets, as the link measured it">
          {certificate.release && spreadInWords(certificate.release)}
        </Fact>
        {certificate.releaseInStalls !== null && certificate.releaseInStalls.count !== 0 && (
          <Fact name="Release error in stalls" title="the same of packets due while the machine stood still">
            {spreadInWords(certificate.releaseInStalls)}
          </Fact>
        )}
        <Fact name="Wire error" title="the same, from the captures of both hosts">
          {certificate.wire && spreadInWords(certificate.wire)}
        </Fact>
        <Fact name="Script error" title="how late what the script says happened">
          {certificate.script && spreadInWords(certificate.script)}
        </Fact>
        {rates.map((rate) => (
          <Fact key={rate.direction} name={`Rate, ${rate.direction}`}>
            {formatRate(rate.achieved)} of {formatRate(rate.planned)} planned (
            {`${signed((rate.achieved / rate.planned - 1) * 100, 2)} %`})
          </Fact>
        ))}
        <Fact name="Stalls" title="the machine itself stood still, as an idle thread saw it">
          {stalls &&
            (stalls.count === 0
              ? 'none'
              : `${plural(stalls.count, 'stall')}${stalls.longestUs === null ? '' : `, the longest ${formatMicros(stalls.longestUs)}`}${stalls.totalUs === null ? '' : `, ${formatMicros(stalls.totalUs)} in all`}`)}
        </Fact>
        <Fact name="Drops not of the link">
          {joined([
            counted(certificate.captureDrops, 'by captures'),
            counted(certificate.planeDrops, 'by the plane'),
            counted(certificate.hostDrops, 'by hosts'),
          ])}
        </Fact>
        <Fact name="Offloads" title="a packet larger than the wire carries, or a checksum left to a card">
          {joined([
            counted(certificate.superPackets, 'super-packets'),
            counted(certificate.badChecksums, 'bad checksums'),
          ])}
        </Fact>
        <Fact name="Unmatched" title="packets that only one of the captures and the plane know of">
          {counted(certificate.unmatched, 'packets')}
        </Fact>
        <Fact name="Clock drift" title="of the clock that stamps packets against the one that runs the link">
          {certificate.clockDriftUs === null ? null : formatMicros(certificate.clockDriftUs)}
        </Fact>
      </dl>
    </details>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ReactNode;
}

function Fact({ name, title, children }: FactProps) {
  const known = children !== null && children !== undefined && children !== '';
  return (
    <>
      <dt title={title}>{name}</dt>
      <dd className={known ? undefined : 'none'}>{known ? children : 'not measured'}</dd>
    </>
  );
}

function spreadInWords(spread: ErrorSpread): string {
  const parts = [
    spread.p50 === null ? null : `p50 ${formatMicros(spread.p50)}`,
    spread.p99 === null ? null : `p99 ${formatMicros(spread.p99)}`,
    spread.max === null ? null : `max ${formatMicros(spread.max)}`,
  ].filter((part) => part !== null);
  const of = spread.count === null ? '' : ` of ${plural(spread.count, 'packet')}`;
  return parts.length === 0 ? '' : `${parts.join(', ')}${of}`;
}

function counted(count: number | null, what: string): string | null {
  return count === null ? null : `${count} ${what}`;
}

function joined(parts: readonly (string | null)[]): string | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(', ');
}
