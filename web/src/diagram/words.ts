import { formatTime, plural } from '../lib/format';
import type { RunIndex } from '../series/run-index';
import { Truth, Verdict } from '../series/types';

/** A run in one sentence, for those who cannot see the diagram. */
export function runInWords(index: RunIndex): string {
  const { data, timeouts, duration } = index.series;
  const again = data.length - index.byVerdict[Verdict.Original].rows.length;
  const needless = index.byVerdict[Verdict.Unnecessary].rows.length;
  const spurious = timeouts.verdict.filter((truth) => truth === Truth.Spurious).length;
  return [
    formatTime(duration, 1),
    plural(data.length, 'data segment'),
    `${plural(again, 'retransmission')}, ${needless} unnecessary`,
    `${plural(timeouts.length, 'timeout')}, ${spurious} spurious`,
  ].join('; ');
}

/** The keys, for those who listen. */
export const KEYS =
  'Keys: left and right move, plus and minus zoom, 0 shows the whole run, n and p step through segments, t through timeouts';

/** All gestures, below the diagram. */
export const HELP =
  'Drag to zoom into a box; Shift-drag or arrow keys move; wheel or + and − zoom; double-click or 0 shows the whole run; n and p step through segments, t through timeouts. Click a segment to keep its card.';
