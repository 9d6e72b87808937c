import { Anchor, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { BatchTags } from '../../ui/batch/batch-facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { RowActions } from './row-actions';

/** Batches one below the other, for narrow screens. */
export function BatchCards({ batches }: { readonly batches: readonly Schema<'BatchTold'>[] }) {
  return (
    <Stack component="ul" aria-label="Batches" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {batches.map((batch) => (
        <Paper key={batch.id} component="li" withBorder p="sm">
          <Stack gap="xs">
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
                <Anchor component={Link} to={to.batch(batch.id)} size="sm" fw={600}>
                  {batch.title || batch.experiment}
                </Anchor>
                <Text size="xs" c="dimmed" ff="monospace">
                  {batch.experiment}
                </Text>
              </Stack>
              <RowActions batch={batch} />
            </Group>
            <Group gap={6}>
              <BatchBadge batch={batch} />
              <BatchTags batch={batch} />
              <Text size="xs" c="dimmed" span>
                batch {batch.id}, <Moment at={batch.created_at} />
              </Text>
            </Group>
            <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}
