import { Alert, Stack, Text } from '@mantine/core';

import { api } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import { Facts } from '../../ui/facts';
import { Failure } from '../../ui/failure';
import { Waiting } from '../../ui/waiting';

/** How the service is, and which versions answer. */
export function Service() {
  const health = api.useQuery('get', '/api/v1/health');
  const version = api.useQuery('get', '/api/v1/version');
  const failed = health.error ?? version.error;
  if (failed !== null) {
    return (
      <Failure
        title="The service could not be asked"
        error={failed}
        onRetry={() => {
          void health.refetch();
          void version.refetch();
        }}
      />
    );
  }
  if (!health.data || !version.data) return <Waiting what="the state of the service" />;
  const { database, scheduler, disk, watchers } = health.data;
  return (
    <Stack>
      {disk.full && (
        <Alert color="red" variant="light" title="The disk is full">
          <Text size="sm" c="var(--mantine-color-text)">
            No new runs start until there is space: delete batches, or start the service with --quota or
            --retain.
          </Text>
        </Alert>
      )}
      <Facts
        facts={[
          [
            'Database',
            database.works ? 'answers' : `does not answer${database.why === null ? '' : `: ${database.why}`}`,
          ],
          [
            'Scheduler',
            [scheduler.state, scheduler.why, scheduler.note].filter((part) => part !== null).join('; '),
          ],
          ['Free on its disk', formatOctets(disk.free_bytes)],
          ['Pages that watch events', String(watchers)],
          ['Windlull', version.data.version],
          ['API', version.data.api],
          ['Engine', madeBy(version.data.engine)],
        ]}
      />
    </Stack>
  );
}
