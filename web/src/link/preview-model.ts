import type { Direction, Schema } from '../api/client';
import { ns, type Ns } from '../lib/brand';
import { formatRate } from '../lib/format';
import { lastAtMost } from '../lib/search';
import { DIRECTIONS } from './kinds';
import { writeDuration } from './quantity';
import type { TimeWindow } from './window';

/** What the engine says that a link does over time (`POST /api/v1/previews`). */
export type Preview = Schema<'Preview'>;
export type PreviewPath = Schema<'PreviewPath'>;
export type Spell = Schema<'PreviewSpell'>;

export const LINK_DIRECTIONS = ['down', 'up'] as const satisfies readonly Direction[];

/** What each kind of spell is called. */
export const SPELLS: Readonly<Record<Spell['kind'], string>> = {
  hold: 'delivers nothing',
  outage: 'loses everything',
  bad: 'is in its bad state',
};

/** What holds at an instant of a column that holds from each instant to the next. */
export function stepAt<T>(times: readonly number[], values: readonly T[], t: number): T | undefined {
  const at = lastAtMost(times, t);
  return at < 0 ? undefined : values[at];
}

/** What a direction does at an instant, in words: `40.2 kbit/s, delay 500 ms, delivers nothing`. */
export function statusAt(path: PreviewPath, t: number): string {
  const parts = [rateInWords(stepAt(path.rate.t_ns, path.rate.bps, t))];
  const delay = stepAt(path.delay.t_ns, path.delay.delay_ns, t);
  if (typeof delay === 'number') parts.push(`delay ${inTime(delay)}`);
  else if (path.delay.drawn) parts.push(`delay ${drawnInWords(path.delay.drawn)}`);
  const loss = stepAt(path.loss.t_ns, path.loss.probability, t) ?? 0;
  if (loss > 0) parts.push(`loses ${Number((loss * 100).toPrecision(3))} % more`);
  const spells = path.spells.filter(({ from_ns, until_ns }) => from_ns <= t && t < (until_ns ?? Infinity));
  parts.push(...new Set(spells.map(({ kind }) => SPELLS[kind])));
  return parts.join(', ');
}

/** A spell in a line: `delivers nothing from 10 s to 13 s (script 1)`. */
export function spellInWords({ kind, name, from_ns, until_ns }: Spell): string {
  const until = until_ns === null ? 'until after the end of the preview' : `to ${inTime(until_ns)}`;
  return `${SPELLS[kind]} from ${inTime(from_ns)} ${until} (${name})`;
}

/** The spells of a window and the directions that have each; one that both have alike is one. */
export function spellsIn(
  preview: Preview,
  { from, to }: TimeWindow,
): readonly { readonly spell: Spell; readonly ways: readonly Direction[] }[] {
  const found = new Map<string, { spell: Spell; ways: Direction[] }>();
  for (const way of LINK_DIRECTIONS) {
    for (const spell of preview[way].spells) {
      if (spell.from_ns > to || (spell.until_ns ?? Infinity) < from) continue;
      const key = [spell.kind, spell.name, spell.from_ns, spell.until_ns].join();
      const known = found.get(key);
      if (known) known.ways.push(way);
      else found.set(key, { spell, ways: [way] });
    }
  }
  return [...found.values()].sort((a, b) => a.spell.from_ns - b.spell.from_ns);
}

/** Directions in words. */
export function waysInWords(ways: readonly string[]): string {
  return ways.length === 2 ? DIRECTIONS.both.words : ways[0] === 'up' ? 'up' : 'down';
}

/** The largest finite rate and delay of a preview: the tops of its axes. */
export function extents(preview: Preview): { readonly bps: number; readonly delay: Ns } {
  let bps = 0;
  let delay = 0;
  for (const way of LINK_DIRECTIONS) {
    const path = preview[way];
    for (const rate of path.rate.bps) bps = Math.max(bps, rate ?? 0);
    for (const d of path.delay.delay_ns) delay = Math.max(delay, d ?? 0);
    delay = Math.max(delay, path.delay.drawn?.p95_ns ?? 0);
  }
  return { bps: bps > 0 ? bps : 1, delay: ns(delay > 0 ? delay : 1e6) };
}

/** Whether there is a rate at all, or none is limited. */
export const hasRates = (preview: Preview): boolean =>
  LINK_DIRECTIONS.some((way) => preview[way].rate.bps.some((rate) => (rate ?? 0) > 0));

/** A span of the engine's: to a tenth of a millisecond, which is more than an eye sees. */
export function inTime(span: number): string {
  const step = span >= 1e9 ? 1e6 : 1e5;
  return writeDuration(ns(span >= 1e5 ? Math.round(span / step) * step : span));
}

export function rateInWords(bps: number | null | undefined): string {
  if (bps === undefined) return 'not known';
  return bps === null ? 'unlimited' : bps === 0 ? 'no opportunity to send' : formatRate(bps);
}

export function drawnInWords({ p5_ns, p50_ns, p95_ns }: Schema<'DelayQuantiles'>): string {
  return `drawn for each packet, mostly ${inTime(p5_ns)} to ${inTime(p95_ns)}, half below ${inTime(p50_ns)}`;
}
