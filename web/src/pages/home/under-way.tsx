import { Anchor, Group, Paper, Stack } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { BatchTags } from '../../ui/batch/batch-facts';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { SignButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { Muted, Notice } from '../../ui/text';
import { Section } from '../../ui/page';
import { StateBar } from '../../ui/state-bar';

type Batch = Schema<'BatchView'>;

/** The batches that have not ended, as they go on. */
export function UnderWay({ batches }: { readonly batches: readonly Batch[] }) {
  return (
    <Section title="Under way" beside={<Queue />}>
      {batches.length === 0 ? (
        <Muted>Nothing is running or waiting.</Muted>
      ) : (
        batches.map((batch) => <One key={batch.id} batch={batch} />)
      )}
    </Section>
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
              <Muted span>
                batch {batch.id}, <Moment at={batch.created_at} />
              </Muted>
            </Group>
          </Stack>
          <SignButton
            size="xs"
            style={{ flexShrink: 0 }}
            loading={busy}
            sign={IconBan}
            onClick={() => askToCancelBatch(batch, cancel)}
            aria-label={`Cancel batch ${batch.id}`}
          >
            Cancel
          </SignButton>
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
      <Notice
        color="yellow"
        w="100%"
        title={state === 'paused' ? 'The queue has stopped' : 'Nothing will run'}
      >
        {why ?? 'No scheduler has reported for a while.'}{' '}
        <TextLink to={to.testbeds} underline="always">
          Testbeds and queue
        </TextLink>
      </Notice>
    );
  return (
    <TextLink to={to.testbeds}>
      {queued === 0 ? 'Testbeds and queue' : `${plural(queued, 'run')} in the queue`}
    </TextLink>
  );
}
