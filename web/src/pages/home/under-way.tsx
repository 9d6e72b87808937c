import { Alert, Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { BatchTags } from '../../ui/batch/batch-facts';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';

type Batch = Schema<'BatchTold'>;

/** The batches that have not ended, as they go on. */
export function UnderWay({ batches }: { readonly batches: readonly Batch[] }) {
  return (
    <Stack component="section" aria-labelledby="under-way" gap="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4" id="under-way">
          Under way
        </Title>
        <Queue />
      </Group>
      {batches.length === 0 ? (
        <Text c="dimmed" size="sm">
          Nothing is running or waiting.
        </Text>
      ) : (
        batches.map((batch) => <One key={batch.id} batch={batch} />)
      )}
    </Stack>
  );
}

function One({ batch }: { readonly batch: Batch }) {
  const { cancel, busy } = useBatchActions(batch.id);
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Stack gap={4}>
            <Anchor component={Link} to={to.batch(batch.id)} fw={600}>
              {batch.title || batch.experiment}
            </Anchor>
            <Group gap="xs">
              <BatchBadge batch={batch} />
              <BatchTags batch={batch} />
              <Text size="sm" c="dimmed" span>
                batch {batch.id}, <Moment at={batch.created_at} />
              </Text>
            </Group>
          </Stack>
          <Button
            variant="default"
            size="xs"
            style={{ flexShrink: 0 }}
            loading={busy}
            leftSection={<IconBan size={14} aria-hidden />}
            onClick={() => askToCancelBatch(batch, cancel)}
            aria-label={`Cancel batch ${batch.id}`}
          >
            Cancel
          </Button>
        </Group>
        <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} />
      </Stack>
    </Paper>
  );
}

/** How much waits in all, and what stands in its way. */
function Queue() {
  const { data } = api.useQuery('get', '/api/v1/queue');
  if (!data) return null;
  const queued = data.testbeds.reduce((sum, testbed) => sum + testbed.queued, 0);
  const { state, why } = data.scheduler;
  if (state === 'absent' || state === 'paused')
    return (
      <Alert
        color="yellow"
        variant="light"
        w="100%"
        title={state === 'paused' ? 'The queue has stopped' : 'Nothing will run'}
      >
        <Text size="sm" c="var(--mantine-color-text)">
          {why ?? 'No scheduler has reported for a while.'}{' '}
          <Anchor component={Link} to={to.testbeds} size="sm" underline="always">
            Testbeds and queue
          </Anchor>
        </Text>
      </Alert>
    );
  return (
    <Anchor component={Link} to={to.testbeds} size="sm">
      {queued === 0 ? 'Testbeds and queue' : `${plural(queued, 'run')} in the queue`}
    </Anchor>
  );
}
