import { inOrder } from '../../lib/metrics';
import type { TitledCell } from './titled';

/** What says most of a transfer that met a bad link. */
const USUAL = [
  'elapsed_s',
  'goodput_bps',
  'packets_lost',
  'retransmissions',
  'unnecessary_retransmissions',
  'spurious_timeouts',
  'genuine_timeouts',
];

/** The metrics that any cell has: the usual ones, or all of them. */
export function metricsOf(cells: readonly TitledCell[], all: boolean): readonly string[] {
  const names = inOrder(cells.flatMap(({ metrics }) => [...metrics.keys()]));
  return all ? names : names.filter((name) => USUAL.includes(name));
}

/** Cells in the order of a metric's median, the least first; those without it last. As they are without a metric. */
export function sortedBy(cells: readonly TitledCell[], metric: string | null): readonly TitledCell[] {
  if (metric === null) return cells;
  const of = (cell: TitledCell) => cell.metrics.get(metric)?.median ?? Infinity;
  return [...cells].sort((a, b) => of(a) - of(b) || 0);
}
