import type { Ns } from '../lib/brand';
import { formatInstant } from '../lib/format';
import type { RunIndex } from './run-index';
import type { BandColumns, TablePath } from './types';

/** An event that several runs have, at which their diagrams can be aligned. */
export interface Anchor {
  /** `start`, `script:N`, `impairment:N` or `timeout:N`; N counts from 1. Stays the same, so that an address can hold it. */
  readonly key: string;
  /** The event in words: `hold (script 1)`, `hold 1`, `timeout 2`. */
  readonly label: string;
  /** When each run had it, in the order of the runs. */
  readonly t: readonly Ns[];
}

/** How many of each kind are offered. */
const MOST = 20;

interface Event {
  readonly word: string;
  readonly t: Ns;
}

/** What the link did, and the name under which it did so. */
interface Trouble extends Event {
  readonly name: string;
}

/**
 * The events that all of these runs have: their starts, what the link's script did, its holds and outages as they came,
 * and timeouts. Of the n-th hold nobody knows whether it is the same one in all runs; of a line of the script it is certain.
 */
export function commonAnchors(runs: readonly RunIndex[]): readonly Anchor[] {
  const start: Anchor = { key: 'start', label: 'start of the run', t: runs.map(() => 0 as Ns) };
  const troubles = runs.map(impairments);
  return [
    start,
    ...scripted(troubles),
    ...inCommon('impairment', troubles),
    ...inCommon('timeout', runs.map(timeouts)),
  ];
}

/** Where runs are aligned unless someone says otherwise: at what was scripted, else at the first trouble there is. */
export function usualAnchor(anchors: readonly Anchor[]): Anchor | undefined {
  const first = (kind: string) => anchors.find(({ key }) => key.startsWith(kind));
  return first('script:') ?? first('impairment:') ?? first('timeout:') ?? anchors.at(0);
}

/** The axis that shows all of these runs aligned at an anchor, in axis time: before it, after it. */
export function commonExtent(
  runs: readonly RunIndex[],
  anchor: Anchor,
): { readonly from: Ns; readonly to: Ns } {
  return {
    from: -Math.max(0, ...anchor.t) as Ns,
    to: Math.max(0, ...runs.map((run, i) => run.series.duration - anchor.t[i])) as Ns,
  };
}

/** An anchor of one run in words, with its instant: `hold 1 at 10.000 s`. */
export function anchorInWords(anchor: Anchor, run: number): string {
  return anchor.key === 'start' ? anchor.label : `${anchor.label} at ${formatInstant(anchor.t[run])}`;
}

function inCommon(kind: string, events: readonly (readonly Event[])[]): Anchor[] {
  const count = Math.min(MOST, ...events.map((of) => of.length));
  return Array.from({ length: count }, (_, i) => {
    const words = new Set(events.map((of) => of[i].word));
    const word = words.size === 1 ? [...words][0] : kind;
    return { key: `${kind}:${i + 1}`, label: `${word} ${i + 1}`, t: events.map((of) => of[i].t) };
  });
}

/** What the same line of the script began in all of these runs, in the order of the script. */
function scripted(runs: readonly (readonly Trouble[])[]): Anchor[] {
  const numberOf = ({ name }: Trouble) => Number(/^script (\d+)$/.exec(name)?.[1] ?? 0);
  const numbers = [...new Set(runs[0].map(numberOf))].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.slice(0, MOST).flatMap((number) => {
    const own = runs.flatMap((of) => of.find((trouble) => numberOf(trouble) === number) ?? []);
    if (own.length < runs.length) return [];
    return [
      { key: `script:${number}`, label: `${own[0].word} (script ${number})`, t: own.map(({ t }) => t) },
    ];
  });
}

/** Holds and outages by their beginning; both directions at once are one. */
function impairments(run: RunIndex): readonly Trouble[] {
  const { holds, outages } = run.series.link;
  const begun = [
    ...beginnings(run, 'link.holds', holds, 'hold'),
    ...beginnings(run, 'link.outages', outages, 'outage'),
  ].sort((a, b) => a.t - b.t);
  return begun.filter((event, i) => i === 0 || event.t !== begun[i - 1].t);
}

function beginnings(run: RunIndex, table: TablePath, bands: BandColumns, word: string): readonly Trouble[] {
  // Of a long list the shorter ones are left out, so that nobody can say which is the n-th.
  if (!run.hasAll(table)) return [];
  const names = run.series.names.impairment;
  return Array.from(bands.from, (t, i) => ({ word, t: t as Ns, name: names[bands.name[i]] }));
}

/** Of timeouts the first one is always known, the n-th where all are here. */
function timeouts(run: RunIndex): readonly Event[] {
  const { timeouts: all } = run.series;
  const known = run.hasAll('timeouts') ? all.length : 1;
  return Array.from(all.t.subarray(0, known), (t) => ({ word: 'timeout', t: t as Ns }));
}
