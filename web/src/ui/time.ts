const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long before `nowMs` an instant was, in words: `3 minutes ago`. Both in ms since 1970. */
export function ago(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - atMs) / 1000);
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, size] of UNITS)
    if (seconds >= size) return words.format(-Math.floor(seconds / size), unit);
  return seconds < 10 ? 'just now' : words.format(-Math.floor(seconds), 'second');
}

/** The time of day of an instant, ms since 1970, in 24 hours: `17:04:09`. */
export function clockTime(ms: number): string {
  return new Date(ms).toLocaleTimeString(undefined, { hourCycle: 'h23' });
}
