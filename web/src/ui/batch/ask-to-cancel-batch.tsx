import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { ask } from '../ask';
import { countOf } from '../states';

/** Asks whether what of a batch has not ended should be given up, and says what stays. */
export function askToCancelBatch(batch: Schema<'BatchView'>, confirmed: () => void): void {
  const under = countOf(batch.runs, ['queued', 'running']);
  ask({
    title: `Cancel batch ${batch.id}?`,
    about: (
      <>
        {plural(under, 'run')} of “{batch.title || batch.experiment}” {under === 1 ? 'has' : 'have'} not ended
        and will be cancelled. Runs that have ended keep their results; cancelled ones can be tried again.
      </>
    ),
    yes: `Cancel ${plural(under, 'run')}`,
    no: 'Keep running',
    loses: true,
    onYes: confirmed,
  });
}
