import { formatTime } from '../lib/format';

/** A time in microseconds in words: `21 µs`, `81 ms`. */
export function formatMicros(value: number): string {
  return formatTime(Math.round(value * 1000));
}
