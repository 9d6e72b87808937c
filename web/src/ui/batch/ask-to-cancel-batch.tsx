import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { countOf } from '../states';

/** Asks whether what of a batch has not ended should be given up, and says what stays. */
export function askToCancelBatch(batch: Schema<'BatchTold'>, confirmed: () => void): void {
  const under = countOf(batch.runs, ['queued', 'running']);
  modals.openConfirmModal({
    title: `Cancel batch ${batch.id}?`,
    children: (
      <Text size="sm">
        {plural(under, 'run')} of “{batch.title || batch.experiment}” {under === 1 ? 'has' : 'have'} not ended
        and will be cancelled. Runs that have ended keep their results; cancelled ones can be tried again.
      </Text>
    ),
    labels: { confirm: `Cancel ${plural(under, 'run')}`, cancel: 'Keep running' },
    confirmProps: { color: 'red' },
    onConfirm: confirmed,
  });
}
