import { Button, Menu } from '@mantine/core';
import {
  IconArrowsSort,
  IconBan,
  IconChevronDown,
  IconGitCompare,
  IconPin,
  IconPinnedOff,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { askToDeleteBatch } from '../../ui/batch/ask-to-delete-batch';
import type { BatchActions } from '../../ui/batch/use-batch-actions';
import { to } from '../../ui/links';
import { countOf, RETRIED } from '../../ui/states';
import { PriorityDialog } from './priority-dialog';
import { RunAgain } from './run-again';

interface Props {
  readonly batch: Schema<'BatchTold'>;
  /** The number of its first run, once it is known. */
  readonly firstRun: number | null;
  readonly actions: BatchActions;
  readonly onDeleted: () => void;
}

/** What can be done with a batch. */
export function Actions({ batch, firstRun, actions, onDeleted }: Props) {
  const [priority, setPriority] = useState(false);
  const retried = countOf(batch.runs, RETRIED);
  return (
    <>
      {batch.state !== 'ended' && (
        <Button
          variant="default"
          loading={actions.busy}
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => askToCancelBatch(batch, actions.cancel)}
        >
          Cancel
        </Button>
      )}
      <Button
        component={Link}
        to={to.compare(batch.id)}
        variant="default"
        leftSection={<IconGitCompare size={16} aria-hidden />}
      >
        Compare variants
      </Button>
      <RunAgain batch={batch} firstRun={firstRun} />
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {retried > 0 && (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={actions.retry}>
              Try {plural(retried, 'run')} again
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconArrowsSort size={16} aria-hidden />} onClick={() => setPriority(true)}>
            Change priority
          </Menu.Item>
          <Menu.Item
            leftSection={
              batch.pinned ? <IconPinnedOff size={16} aria-hidden /> : <IconPin size={16} aria-hidden />
            }
            onClick={() => actions.change({ pinned: !batch.pinned })}
          >
            {batch.pinned ? 'Allow removal of its files' : 'Keep its files permanently'}
          </Menu.Item>
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
      <PriorityDialog
        opened={priority}
        priority={batch.priority}
        onClose={() => setPriority(false)}
        onSet={(next) => actions.change({ priority: next })}
      />
    </>
  );
}
