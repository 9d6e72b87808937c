import type { Schema } from '../../api/client';
import type { Resolved } from './use-resolved';

/** A cell of the results with what its parts are called. */
export interface TitledCell extends Omit<Schema<'CellTold'>, 'metrics'> {
  readonly metrics: ReadonlyMap<string, Schema<'SummaryTold'>>;
  readonly title: string;
  /** Link and testbed, where there are several. */
  readonly detail: string;
  readonly kernel: boolean;
}

/** Cells with the titles that the experiment gives; by link, then in the experiment's order of variants. */
export function titled(
  cells: readonly Schema<'CellTold'>[],
  resolved: Resolved | undefined,
): readonly TitledCell[] {
  const several = (of: (cell: Schema<'CellTold'>) => string) => new Set(cells.map(of)).size > 1;
  const links = several(({ link }) => link);
  const testbeds = several(({ testbed }) => testbed);
  return cells.map((cell) => {
    const variant = resolved?.variants.find(({ name }) => name === cell.variant);
    const link = resolved?.links.find(({ name }) => name === cell.link);
    const parts = [
      ...(links ? [link?.title ?? cell.link] : []),
      ...(testbeds ? [cell.testbed === 'sim' ? 'simulated' : 'live'] : []),
    ];
    return {
      ...cell,
      metrics: new Map(Object.entries(cell.metrics)),
      title: variant?.title ?? cell.variant,
      detail: parts.join(', '),
      kernel: variant?.kernel ?? false,
    };
  });
}
