import { formatTime, plural } from '../lib/format';
import type { RunIndex } from '../series/run-index';
import type { FollowState } from '../series/source';
import { Truth, Verdict } from '../series/types';

/** A run in one sentence, for those who cannot see the diagram. Counts of what is not all here are left out. */
export function runInWords(index: RunIndex): string {
  const { data, timeouts, duration } = index.series;
  const parts = [formatTime(duration, 1), plural(index.count('data', data.length), 'data segment')];
  if (index.hasAll('data')) {
    const again = data.length - index.byVerdict[Verdict.Original].rows.length;
    const needless = index.byVerdict[Verdict.Unnecessary].rows.length;
    parts.push(`${plural(again, 'retransmission')}, ${needless} unnecessary`);
  }
  const fired = plural(index.count('timeouts', timeouts.length), 'timeout');
  const spurious = timeouts.verdict.filter((truth) => truth === Truth.Spurious).length;
  parts.push(index.hasAll('timeouts') ? `${fired}, ${spurious} spurious` : fired);
  return parts.join('; ');
}

/** What there is to know of the data that are drawn; nothing of a run that is wholly here. */
export function dataInWords(drawn: RunIndex, overview: RunIndex, state: FollowState): string {
  if (overview.exact) return '';
  const segments = plural(overview.count('data', overview.series.data.length), 'segment');
  const what = drawn.exact
    ? 'Exact: every row of this part of the run is drawn.'
    : `Decimated: of the run’s ${segments}, only those distinguishable at this width are drawn. Zoom in to see every one.`;
  if (state.name === 'loading') return `${what} Loading finer data …`;
  return state.name === 'failed' ? `${what} Finer data could not be loaded: ${state.why}` : what;
}

/** The keys, for those who listen. */
export const KEYS =
  'Keys: left and right move, plus and minus zoom, 0 shows the whole run, n and p step through segments, r and Shift-r through retransmissions, t and Shift-t through timeouts';

/** All gestures, below the diagram. */
export const HELP =
  'Drag to zoom into a box; Shift-drag or arrow keys move; Ctrl and the wheel, or + and −, zoom, after a click the wheel alone does; double-click or 0 shows the whole run; n and p step through segments, r through retransmissions, t through timeouts (with Shift: back). Click a segment to keep its card.';
