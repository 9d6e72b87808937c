import { mapTables, type Series, type TablePath, type Tables } from './types';

/** The tables of which an overview does not have every row: what is worth asking for in a window. */
export function missingTables(overview: Series): readonly TablePath[] {
  const shares = overview.window?.shares ?? new Map<TablePath, never>();
  return [...shares.keys()].filter((path) => !isComplete(overview, path));
}

/**
 * A window of a run with the tables of which the overview has every row: those are the run's own, so that what belongs
 * together stays together (a detector's answer with its timeout) wherever the window ends.
 */
export function withComplete(window: Series, overview: Series): Series {
  if (window.window === null) return window;
  const shares = new Map(window.window.shares);
  for (const [path, share] of overview.window?.shares ?? []) {
    if (isComplete(overview, path)) shares.set(path, share);
  }
  const tables = mapTables((path) =>
    path
      .split('.')
      .reduce<unknown>(
        (part, key) => (part as Record<string, unknown>)[key],
        isComplete(overview, path) ? overview : window,
      ),
  ) as Tables;
  return { ...window, ...tables, window: { ...window.window, shares } };
}

function isComplete(overview: Series, path: TablePath): boolean {
  const share = overview.window?.shares.get(path);
  return share === undefined || share.given === share.rows;
}
