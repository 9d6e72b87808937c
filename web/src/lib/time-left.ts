/** How many runs had ended at a moment, in ms since 1970. */
export interface Seen {
  readonly at: number;
  readonly ended: number;
}

/** How far back the pace is taken from: a batch goes through its variants one after the other, and some take longer. */
const WINDOW_MS = 60_000;
/** Less than this says nothing of the pace. */
const LEAST_MS = 3_000;
const LEAST_RUNS = 3;

/** What was seen with one more look. Fewer that have ended than before: some are tried again, and the pace begins anew. */
export function withSeen(seen: readonly Seen[], at: number, ended: number): readonly Seen[] {
  const last = seen.at(-1);
  if (last === undefined || ended < last.ended) return [{ at, ended }];
  if (ended === last.ended) return seen;
  const next = [...seen, { at, ended }];
  // The last one before the window stays: the pace is since then.
  const from = next.findLastIndex((one) => at - one.at > WINDOW_MS);
  return from > 0 ? next.slice(from) : next;
}

/** How long the rest takes at the pace seen, in ms; null if that is not known yet, or nothing is left. */
export function msLeft(seen: readonly Seen[], total: number): number | null {
  const first = seen.at(0);
  const last = seen.at(-1);
  if (!first || !last || last.ended >= total) return null;
  const took = last.at - first.at;
  const done = last.ended - first.ended;
  return took < LEAST_MS || done < LEAST_RUNS ? null : ((total - last.ended) * took) / done;
}

/** An estimate in words: `about 40 s left`, `about 3 min left`. */
export function leftInWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return 'less than 10 s left';
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10} s left`;
  const minutes = seconds / 60;
  return minutes < 90 ? `about ${Math.round(minutes)} min left` : `about ${Math.round(minutes / 60)} h left`;
}
