import type { Series, TablePath } from './types';

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
  const from = (path: TablePath): Series => (isComplete(overview, path) ? overview : window);
  const shares = new Map(window.window.shares);
  for (const [path, share] of overview.window?.shares ?? []) {
    if (isComplete(overview, path)) shares.set(path, share);
  }
  return {
    ...window,
    window: { ...window.window, shares },
    data: from('data').data,
    acks: from('acks').acks,
    sacks: from('sacks').sacks,
    timeouts: from('timeouts').timeouts,
    fastRetransmits: from('fast_retransmits').fastRetransmits,
    detector: from('detector').detector,
    responses: from('responses').responses,
    state: from('state').state,
    link: {
      holds: from('link.holds').link.holds,
      outages: from('link.outages').link.outages,
      bad: from('link.bad').link.bad,
      drops: from('link.drops').link.drops,
      marks: from('link.marks').link.marks,
      queue: [from('link.queue.down').link.queue[0], from('link.queue.up').link.queue[1]],
      rates: from('link.rates').link.rates,
      delays: from('link.delays').link.delays,
    },
  };
}

function isComplete(overview: Series, path: TablePath): boolean {
  const share = overview.window?.shares.get(path);
  return share === undefined || share.given === share.rows;
}
