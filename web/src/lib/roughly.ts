import { plural } from './format';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** A number with two digits that count: more of an estimate would not be true. */
export function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

/** So many seconds as a person says it: `3 minutes`, `5 hours`. */
export function lengthInWords(seconds: number): string {
  if (seconds >= 2 * DAY) return plural(Math.round(seconds / DAY), 'day');
  if (seconds >= 2 * HOUR) return plural(Math.round(seconds / HOUR), 'hour');
  if (seconds >= 2 * MINUTE) return plural(Math.round(seconds / MINUTE), 'minute');
  return seconds < 1 ? 'less than a second' : plural(Math.round(seconds), 'second');
}
