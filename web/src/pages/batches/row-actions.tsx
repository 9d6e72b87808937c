import { ActionIcon, Menu } from '@mantine/core';
import { IconBan, IconDots, IconFilter } from '@tabler/icons-react';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { BatchMenu } from '../../ui/batch/menu';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { to } from '../../ui/links';

/** What can be done to one batch of the list. */
export function RowActions({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const actions = useBatchActions(batch.id);
  return (
    <BatchMenu
      {...{ batch, actions }}
      target={
        <ActionIcon
          variant="default"
          size="lg"
          loading={actions.busy}
          aria-label={`Actions of batch ${batch.id}`}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
      first={
        batch.state !== 'ended' && (
          <Menu.Item
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={() => askToCancelBatch(batch, actions.cancel)}
          >
            Cancel unfinished runs
          </Menu.Item>
        )
      }
      last={
        <Menu.Item
          component={Link}
          to={`${to.batches}?experiment=${encodeURIComponent(batch.experiment)}`}
          leftSection={<IconFilter size={16} aria-hidden />}
        >
          Only this experiment
        </Menu.Item>
      }
    />
  );
}
