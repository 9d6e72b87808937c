import { ActionIcon, Menu } from '@mantine/core';
import {
  IconBan,
  IconDots,
  IconFilter,
  IconPin,
  IconPinnedOff,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { askToDeleteBatch } from '../../ui/batch/ask-to-delete-batch';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { to } from '../../ui/links';
import { countOf, RETRIED } from '../../ui/states';

/** What can be done to one batch of the list. */
export function RowActions({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const actions = useBatchActions(batch.id);
  const retried = countOf(batch.runs, RETRIED);
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="lg"
          loading={actions.busy}
          aria-label={`Actions of batch ${batch.id}`}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {batch.state !== 'ended' && (
          <Menu.Item
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={() => askToCancelBatch(batch, actions.cancel)}
          >
            Cancel unfinished runs
          </Menu.Item>
        )}
        {retried > 0 && (
          <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={actions.retry}>
            Try {plural(retried, 'run')} again
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={
            batch.pinned ? <IconPinnedOff size={16} aria-hidden /> : <IconPin size={16} aria-hidden />
          }
          onClick={() => actions.change({ pinned: !batch.pinned })}
        >
          {batch.pinned ? 'Allow removal of its files' : 'Keep its files permanently'}
        </Menu.Item>
        <Menu.Item
          component={Link}
          to={`${to.batches}?experiment=${encodeURIComponent(batch.experiment)}`}
          leftSection={<IconFilter size={16} aria-hidden />}
        >
          Only this experiment
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => {
            askToDeleteBatch(batch, () => actions.remove());
          }}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
