import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToDelete } from '../ask-to-delete';
import { countOf } from '../states';

/** Asks whether a batch should really go, and says what goes with it. */
export function askToDeleteBatch(batch: Schema<'BatchTold'>, confirmed: () => void): void {
  const under = countOf(batch.runs, ['queued', 'running']);
  askToDelete(
    `batch ${batch.id}`,
    <>
      {plural(batch.total, 'run')} of “{batch.title}” and their results, captures and diagrams go with it.
      {under > 0 &&
        ` ${plural(under, 'run')} of them ${under === 1 ? 'has' : 'have'} not ended and will be stopped.`}{' '}
      This cannot be undone; the same experiment and seed can be run again.
    </>,
    confirmed,
  );
}
