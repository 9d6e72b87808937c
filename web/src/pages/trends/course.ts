import type { Schema } from '../../api/client';
import { grouped } from '../../lib/format';
import { decimalsFor, niceStep, niceValues, type Tick } from '../../lib/ticks';

type Series = Schema<'TrendSeriesView'>;
type Point = Schema<'TrendPointView'>;

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

/** The points of a series, cut where they are over another link or of another workload than before. */
export function stretchesOf({ points }: Series): readonly (readonly Point[])[] {
  const starts = points.flatMap(({ comparable }, i) => (i === 0 || !comparable ? [i] : []));
  return starts.map((start, i) => points.slice(start, starts.at(i + 1)));
}

/** The levels between the changes of each stretch of a series; none where it has no change. */
export function levelsOf(series: Series, batches: readonly number[]): readonly Level[] {
  return stretchesOf(series).flatMap((points) => {
    const of = points.map(({ batch }) => batch);
    const changes = series.changes.filter(({ batch }) => of.includes(batch));
    if (changes.length === 0) return [];
    const starts = [of[0], ...changes.map(({ batch }) => batch)];
    const ends = [...changes.map(({ last_before }) => last_before), of[of.length - 1]];
    const values = [changes[0].before, ...changes.map(({ after }) => after)];
    return values.map((value, i) => ({
      from: batches.indexOf(starts[i]),
      to: batches.indexOf(ends[i]),
      value,
    }));
  });
}

/** What differs between two batches, by name; the first few of it. */
export function differing(apart: readonly Schema<'ApartView'>[]): string {
  const all = [...new Set(apart.map(({ what, key }) => (key === null ? what : `${what} ${key}`)))];
  return `${all.slice(0, 6).join(', ')}${all.length > 6 ? ` and ${all.length - 6} more` : ''}`;
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

/** Round values within that reach, and how they are written, each with as many decimals as tells it from the next. */
export function marksOf([low, high]: readonly [number, number], count: number): readonly Tick[] {
  const decimals = decimalsFor(niceStep(high - low, count));
  return niceValues(low, high, count).map((value) => ({ value, label: grouped(value.toFixed(decimals)) }));
}

/** Which of some batches are named on the axis: so many that the names have room. */
export function labelled(count: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}
