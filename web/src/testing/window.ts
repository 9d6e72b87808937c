import { delta } from './sample';

/** Which part of a series is cut out, and how. Times are nanoseconds. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly pixels: number;
  /** Of a table with more rows than this only every so many-th is given, so that there are no more. */
  readonly most: number;
}

type Columns = Record<string, readonly number[] | readonly string[]>;

const TIMELESS = new Set(['names', 'run', 'window']);

/** A window of a `series.json` as the service gives it, but that it decimates by counting rows. */
export function cutWindow(series: Record<string, unknown>, cut: Cut): Record<string, unknown> {
  const { from, to, pixels } = cut;
  const tables = (node: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        if (typeof value !== 'object' || value === null || TIMELESS.has(key)) return [key, value];
        const isRecord = Object.values(value).every(Array.isArray);
        return [key, isRecord ? cutTable(value as Columns, cut) : tables(value as Record<string, unknown>)];
      }),
    );
  return { ...tables(series), window: { from, to, pixels } };
}

function cutTable(columns: Columns, { from, to, most }: Cut): Record<string, unknown> {
  const values = Object.entries(columns).map(([key, column]) => [key, undelta(column)] as const);
  const times = values[0][1] as readonly number[];
  const inside = times.map((_, row) => row).filter((row) => times[row] >= from && times[row] < to);
  const every = Math.ceil(inside.length / most);
  const given = inside.filter((_, place) => place % Math.max(1, every) === 0);
  const cut = values.map(([key, column]) => {
    const kept = given.map((row) => column[row]);
    return [key, kept.every((value) => typeof value === 'number') ? delta(kept) : kept];
  });
  const counts = { rows: inside.length, given: given.length, decimated: given.length < inside.length };
  return { ...counts, before: 0, after: 0, ...Object.fromEntries(cut) } as Record<string, unknown>;
}

function undelta(column: readonly number[] | readonly string[]): readonly (number | string)[] {
  let sum = 0;
  return column.map((value: number | string) => (typeof value === 'number' ? (sum += value) : value));
}
