import type { Direction, Schema } from '../../api/client';

type Sample = Schema<'LinkSample'>;
type WaySample = Schema<'DirectionSample'>;
export type ChangeMark = Schema<'ChangeMark'>;
export type LinkMark = Schema<'LinkMark'>;

/** How far back is drawn, ms. The emulator keeps as much; a page keeps it across the emulator's restarts too. */
export const KEPT_MS = 600_000;

/** A sample, and which of the emulator's processes told it: counts begin at zero with each. */
interface Kept {
  readonly process: string;
  readonly sample: Sample;
}

/** What the page knows of the link's last minutes. */
export interface History {
  /** Time between two samples, ms. */
  readonly every: number;
  readonly samples: readonly Kept[];
  readonly changes: readonly ChangeMark[];
  readonly links: readonly LinkMark[];
}

const NOTHING: History = { every: 1000, samples: [], changes: [], links: [] };

/** When the last sample was taken that is known, ms since 1970; 0 if none is. */
export const newestOf = (history: History | undefined) => history?.samples.at(-1)?.sample.at_ms ?? 0;

/** What was known, with what the emulator has told now. */
export function merged(before: History = NOTHING, newer: Schema<'LinkHistory'>): History {
  const newest = newestOf(before);
  const came = newer.samples
    .filter(({ at_ms }) => at_ms > newest)
    .map((sample): Kept => ({ process: newer.started, sample }));
  const samples = [...before.samples, ...came];
  const oldest = (samples.at(-1)?.sample.at_ms ?? 0) - KEPT_MS;
  const started = Date.parse(newer.started);
  // A process tells all of its own marks each time; those of the one before it are known from then.
  const earlier = before.changes
    .filter(({ from_ms }) => from_ms < started)
    .map((change) => ({ ...change, to_ms: Math.min(change.to_ms ?? started, started) }));
  return {
    every: newer.every_ms,
    samples: samples.filter(({ sample }) => sample.at_ms >= oldest),
    changes: [...earlier, ...newer.changes].filter(({ to_ms }) => to_ms === null || to_ms >= oldest),
    links: [...before.links.filter(({ at_ms }) => at_ms < started), ...newer.links].filter(
      ({ at_ms }) => at_ms >= oldest,
    ),
  };
}

/** What is drawn over time. */
export const MEASURES = ['carried', 'limit', 'delay', 'queue', 'lost'] as const;
export type Measure = (typeof MEASURES)[number];

type Column = (number | null)[];

/** A column of times, s since 1970, and of each measure; `null` is drawn as a gap. */
export interface Columns {
  readonly t: number[];
  readonly down: Readonly<Record<Measure, Column>>;
  readonly up: Readonly<Record<Measure, Column>>;
}

/** Two samples farther apart than so many times the usual have a gap between them: nobody was there to take one. */
const GAP = 2.5;

/** The columns of the charts. Counts become what was counted a second, between neighbours of one process alone. */
export function columnsOf({ samples, every }: History): Columns {
  const empty = (): Record<Measure, Column> => ({ carried: [], limit: [], delay: [], queue: [], lost: [] });
  const columns = { t: [] as number[], down: empty(), up: empty() };
  let before: Kept | null = null;
  for (const kept of samples) {
    const { at_ms: at } = kept.sample;
    const joined =
      before !== null && before.process === kept.process && at - before.sample.at_ms <= GAP * every;
    if (before !== null && !joined) {
      columns.t.push((before.sample.at_ms + at) / 2000);
      for (const way of ['down', 'up'] as const) {
        for (const measure of MEASURES) columns[way][measure].push(null);
      }
    }
    columns.t.push(at / 1000);
    for (const way of ['down', 'up'] as const) {
      const values = measured(kept.sample[way], joined ? before : null, way, at);
      for (const measure of MEASURES) columns[way][measure].push(values[measure]);
    }
    before = kept;
  }
  return columns;
}

function measured(
  now: WaySample,
  before: Kept | null,
  way: Direction,
  at: number,
): Record<Measure, number | null> {
  const then = before?.sample[way];
  const seconds = before === null ? 0 : (at - before.sample.at_ms) / 1000;
  const rate = (key: 'octets' | 'dropped') =>
    then === undefined || now[key] < then[key] ? null : (now[key] - then[key]) / seconds;
  const octets = rate('octets');
  return {
    carried: octets === null ? null : 8 * octets,
    limit: now.rate_bps,
    delay: now.delay_ms,
    queue: now.queued_packets,
    lost: rate('dropped'),
  };
}

/** From when to when is drawn, s since 1970: what is known, and at least a minute. */
export function rangeOf(history: History): readonly [number, number] {
  const last = newestOf(history);
  const first = history.samples[0]?.sample.at_ms ?? last;
  return [Math.min(first, last - 60_000) / 1000, last / 1000];
}
