import type { Schema } from '../../api/client';

type Series = Schema<'TrendSeriesView'>;

/** A stretch of a series at one level, by the places of its first and last batch. */
export interface Level {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** The place of each of a series' batches among all of the trend. */
export function placesOf(series: Series, batches: readonly number[]): readonly number[] {
  return series.points.map(({ batch }) => batches.indexOf(batch));
}

/** The levels between the changes of a series; none where it has no change. */
export function levelsOf(series: Series, batches: readonly number[]): readonly Level[] {
  const places = placesOf(series, batches);
  const last = places.at(-1) ?? 0;
  return series.changes.flatMap((change, i) => {
    const from = batches.indexOf(change.batch);
    const next = series.changes.at(i + 1);
    const end = next === undefined ? last : batches.indexOf(next.last_before);
    const after = { from, to: end, value: change.after };
    if (i > 0) return [after];
    return [{ from: places[0] ?? 0, to: batches.indexOf(change.last_before), value: change.before }, after];
  });
}

/** The least and the greatest that series reach with their intervals, with some room; charts beside each other share them. */
export function reachOf(all: readonly Series[]): readonly [number, number] {
  const values = all.flatMap(({ points }) =>
    points.flatMap(({ median }) => [median.value, median.low ?? median.value, median.high ?? median.value]),
  );
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/** Which of some batches are named on the axis: so many that the names have room. */
export function labelled(count: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}
