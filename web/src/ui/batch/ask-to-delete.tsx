import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { countOf } from '../states';

/** Asks whether a batch should really go, and says what goes with it. */
export function askToDelete(batch: Schema<'BatchTold'>, confirmed: () => void): void {
  const under = countOf(batch.runs, ['queued', 'running']);
  modals.openConfirmModal({
    title: `Delete batch ${batch.id}?`,
    children: (
      <Text size="sm">
        {plural(batch.total, 'run')} of “{batch.title}” and their results, captures and diagrams go with it.
        {under > 0 &&
          ` ${plural(under, 'run')} of them ${under === 1 ? 'has' : 'have'} not ended and will be stopped.`}{' '}
        This cannot be undone; the same experiment and seed can be run again.
      </Text>
    ),
    labels: { confirm: 'Delete', cancel: 'Keep it' },
    confirmProps: { color: 'red' },
    onConfirm: confirmed,
  });
}
