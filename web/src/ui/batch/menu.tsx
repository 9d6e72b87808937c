import { Menu } from '@mantine/core';
import { IconPin, IconPinnedOff, IconRefresh, IconTag, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { countOf, RETRIED } from '../states';
import { askToDelete } from '../ask';
import { LabelsDialog } from './labels-dialog';
import type { BatchActions } from './use-batch-actions';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly actions: BatchActions;
  /** What opens it. */
  readonly target: ReactNode;
  readonly first?: ReactNode;
  readonly beforePin?: ReactNode;
  readonly last?: ReactNode;
  readonly onDeleted?: () => void;
}

/** What can be done to a batch, in a menu. */
export function BatchMenu({ batch, actions, target, first, beforePin, last, onDeleted }: Props) {
  const retried = countOf(batch.runs, RETRIED);
  const Pin = batch.pinned ? IconPinnedOff : IconPin;
  const [labels, setLabels] = useState(false);
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>
          {first}
          {retried > 0 && (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={actions.retry}>
              Try {plural(retried, 'run')} again
            </Menu.Item>
          )}
          {beforePin}
          <Menu.Item leftSection={<IconTag size={16} aria-hidden />} onClick={() => setLabels(true)}>
            Tags and note
          </Menu.Item>
          <Menu.Item
            leftSection={<Pin size={16} aria-hidden />}
            onClick={() => actions.change({ pinned: !batch.pinned })}
          >
            {batch.pinned ? 'Allow removal of its files' : 'Keep its files permanently'}
          </Menu.Item>
          {last}
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => {
              askToDeleteBatch(batch, () => actions.remove(onDeleted));
            }}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <LabelsDialog batch={batch} opened={labels} onClose={() => setLabels(false)} onSave={actions.change} />
    </>
  );
}

/** Asks whether a batch should really go, and says what goes with it. */
function askToDeleteBatch(batch: Schema<'BatchView'>, confirmed: () => void): void {
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
