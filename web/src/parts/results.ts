import type { Schema } from '../api/client';
import type { BoxDot } from '../figures/box-plot';
import { METRIC_NAMES, metricOf } from '../lib/metrics';
import type { Cell, Results } from '../results/model';
import type { Resolved } from './use-resolved';

/** Cells as the API tells them, as tables and figures of results show them. */
export function resultsOf(
  cells: readonly Schema<'ResultsCell'>[],
  { variants, links }: Resolved,
  repetitions: number,
): Results {
  return {
    cells,
    testbeds: [...new Set(cells.map(({ testbed }) => testbed))],
    variants,
    links,
    repetitions,
    published: null,
    differences: [],
    metricOf,
    order: METRIC_NAMES,
  };
}

/** The single runs of a cell as dots, by the key that one is to have; those without a key are left out. */
export function dotsBy(
  keyOf: (cell: Cell, repetition: number) => string | null,
): (cell: Cell, metric: string) => readonly BoxDot[] {
  return (cell, metric) => {
    const spread = cell.metrics[metric];
    return (spread?.values ?? []).flatMap((value, i) => {
      // Without a list of repetitions every one of them counts.
      const repetition = spread?.repetitions?.[i] ?? i + 1;
      const key = keyOf(cell, repetition);
      return key === null ? [] : [{ key, value, repetition }];
    });
  };
}
