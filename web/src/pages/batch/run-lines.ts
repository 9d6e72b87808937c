import type { Schema } from '../../api/client';
import { hasWords } from '../../lib/find';
import { RUN_STATES, stateInWords } from '../../ui/states';
import { cellKey } from './rows';

type RunLine = Schema<'RunLine'>;

/** A run and what it measured, by the names of metrics; nothing if it does not count, or has not ended. */
export interface Line {
  readonly run: RunLine;
  readonly metrics: Readonly<Partial<Record<string, number>>>;
}

/** What runs can be put in order by, besides metrics. */
export const PLAIN_KEYS = ['run', 'variant', 'link', 'repetition', 'seed', 'state', 'ended'] as const;
type PlainKey = (typeof PLAIN_KEYS)[number];

/** Which runs of a batch are looked for, and in which order. */
export interface Wanted {
  /** Any of them; every one if there is none. */
  readonly states: readonly string[];
  readonly variant: string | null;
  readonly link: string | null;
  readonly words: string;
  /** What they are sorted by; null: by their place in the plan. */
  readonly by: string | null;
  /** Whether the largest comes first. */
  readonly down: boolean;
}

const NOTHING: Line['metrics'] = {};

/** The runs of a batch with what they measured, in the order of its plan. */
export function linesOf(runs: readonly RunLine[], cells: readonly Schema<'ResultsCell'>[]): readonly Line[] {
  const measured = new Map<string, Record<string, number>>();
  for (const cell of cells) {
    for (const [name, { values, repetitions }] of Object.entries(cell.metrics)) {
      for (const [i, value] of values.entries()) {
        // Without a list of repetitions every one of them counts.
        const key = keyOf(cell, repetitions?.[i] ?? i + 1);
        const of = measured.get(key) ?? {};
        of[name] = value;
        measured.set(key, of);
      }
    }
  }
  return runs.map((run) => ({ run, metrics: measured.get(keyOf(run, run.repetition)) ?? NOTHING }));
}

const keyOf = (cell: Parameters<typeof cellKey>[0], repetition: number) => `${cellKey(cell)} ${repetition}`;

/** The lines that are looked for, in the order that is wanted. What has no value to be sorted by comes last. */
export function shownLines(lines: readonly Line[], wanted: Wanted): readonly Line[] {
  const { states, variant, link, words, by, down } = wanted;
  const found = lines.filter(
    ({ run }) =>
      (states.length === 0 || states.includes(run.state)) &&
      (variant === null || run.variant === variant) &&
      (link === null || run.link === link) &&
      hasWords(textOf(run), words),
  );
  if (by === null) return found;
  return found.toSorted((a, b) => {
    const [x, y] = [valueOf(a, by), valueOf(b, by)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
}

/** What a search looks through. */
function textOf({ id, variant, link, testbed, state, seed, reason, worker }: RunLine): string {
  return [id, variant, link, testbed, stateInWords(state), seed, reason, worker].join(' ');
}

function valueOf({ run, metrics }: Line, by: string): number | string | null {
  switch (by as PlainKey) {
    case 'run':
      return run.id;
    case 'variant':
      return run.variant;
    case 'link':
      return run.link;
    case 'repetition':
      return run.repetition;
    case 'seed':
      // In the order of numbers, which a JavaScript number cannot hold.
      return run.seed.padStart(20, '0');
    case 'state':
      return RUN_STATES.indexOf(run.state);
    case 'ended':
      return run.ended_at;
    default:
      return metrics[by] ?? null;
  }
}

/** The lines as CSV (RFC 4180), with these metrics. */
export function csvOf(lines: readonly Line[], metrics: readonly string[]): string {
  const rows = lines.map(({ run, metrics: values }) => [
    run.id,
    run.variant,
    run.link,
    run.testbed,
    run.repetition,
    run.seed,
    run.state,
    run.reason ?? '',
    ...metrics.map((name) => values[name] ?? ''),
  ]);
  const heads = ['run', 'variant', 'link', 'testbed', 'repetition', 'seed', 'state', 'reason', ...metrics];
  return [heads, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** A field of a line; quoted where it would be read as more than one. */
function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
