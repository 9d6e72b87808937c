import type { Schema } from '../../api/client';
import type { BoxRow } from '../../figures/box-plot';
import { cellKey } from './rows';
import type { TitledCell } from './titled';

/** The boxes of a metric. A dot's key is the number of its run, or empty while the runs are not known. */
export function boxRows(
  cells: readonly TitledCell[],
  metric: string,
  runs: readonly Schema<'RunLine'>[] | null,
): readonly BoxRow[] {
  const numbers = new Map(runs?.map((run) => [`${cellKey(run)} ${run.repetition}`, run.id]));
  return cells.map((cell) => {
    const spread = cell.metrics.get(metric) ?? null;
    const key = cellKey(cell);
    return {
      key,
      name: cell.title,
      detail: cell.detail,
      live: cell.testbed !== 'sim',
      spread,
      without: cell.runs === 0 ? 'no valid run' : 'not measured',
      dots: (spread?.values ?? []).flatMap((value, i) => {
        // Without a list of repetitions every one of them counts.
        const repetition = spread?.repetitions?.[i] ?? i + 1;
        const run = numbers.get(`${key} ${repetition}`);
        return run === undefined ? [] : [{ key: String(run), value, repetition }];
      }),
      paper: null,
    };
  });
}
