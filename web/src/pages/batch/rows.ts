import type { Schema } from '../../api/client';
import { stateInWords } from '../../ui/states';

type RunLine = Schema<'RunLine'>;

/** All repetitions of one variant on one link in one testbed. */
export interface Row {
  readonly key: string;
  readonly variant: string;
  readonly link: string;
  readonly testbed: RunLine['testbed'];
  /** By repetition. */
  readonly runs: readonly RunLine[];
}

/** Tells the cells of a batch apart. */
export const cellKey = (cell: {
  readonly variant: string;
  readonly link: string;
  readonly testbed: string;
}) => `${cell.testbed} ${cell.link} ${cell.variant}`;

/** The runs of a batch by cell, in the order of the plan. */
export function rowsOf(runs: readonly RunLine[]): readonly Row[] {
  const rows = new Map<string, RunLine[]>();
  for (const run of runs) {
    const key = cellKey(run);
    const row = rows.get(key);
    if (row) row.push(run);
    else rows.set(key, [run]);
  }
  return [...rows].flatMap(([key, row]) => {
    const first = row.at(0);
    if (first === undefined) return [];
    const { variant, link, testbed } = first;
    return [{ key, variant, link, testbed, runs: row.sort((a, b) => a.repetition - b.repetition) }];
  });
}

/** What a row is called beside others: link and testbed only where they differ. */
export function rowName(
  row: Pick<Row, 'variant' | 'link' | 'testbed'>,
  rows: readonly Pick<Row, 'link' | 'testbed'>[],
) {
  const several = (of: (one: Pick<Row, 'link' | 'testbed'>) => string) => new Set(rows.map(of)).size > 1;
  const parts = [
    ...(several(({ link }) => link) ? [row.link] : []),
    ...(several(({ testbed }) => testbed) ? [row.testbed === 'sim' ? 'simulated' : 'live'] : []),
  ];
  return { name: row.variant, detail: parts.join(', ') };
}

/** A run in a line: which, how it is, and why. */
export function inWords({ id, variant, repetition, state, reason, cached }: RunLine): string {
  const why = reason === null ? (cached ? ' (reuses an earlier result)' : '') : `: ${reason}`;
  return `Run ${id}, ${variant}, repetition ${repetition}: ${stateInWords(state)}${why}`;
}

/** Two variants whose runs stand side by side: the first two of one link and testbed that have a result of one repetition. */
export function firstPair(rows: readonly Row[]): readonly [RunLine, RunLine] | null {
  for (const [i, row] of rows.entries()) {
    const other = rows.slice(i + 1).find(({ link, testbed }) => link === row.link && testbed === row.testbed);
    for (const run of row.runs.filter(hasResult)) {
      const beside = other?.runs.find((one) => one.repetition === run.repetition && hasResult(one));
      if (beside !== undefined) return [run, beside];
    }
  }
  return null;
}

const hasResult = ({ state }: RunLine) => state === 'done' || state === 'invalid';

/** What chooses two runs of one batch on the comparison, and where they part. */
export function partQuery([a, b]: readonly [RunLine, RunLine]): string {
  return new URLSearchParams([
    ['v', a.variant],
    ['v', b.variant],
    ['link', a.link],
    ['testbed', a.testbed],
    ['repetition', String(a.repetition)],
    ['part', b.variant],
  ]).toString();
}
