import { Alert, Anchor, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { to } from '../../ui/links';
import { whyWaiting } from './why-waiting';

/** What of a batch waits, and what it waits for. */
export function WaitingWhy({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const queued = batch.runs['queued'] ?? 0;
  const queue = api.useQuery('get', '/api/v1/queue', {}, { enabled: queued > 0 });
  if (queued === 0 || !queue.data) return null;
  const { why, stuck } = whyWaiting(batch, queue.data);
  return (
    <Alert
      color={stuck ? 'yellow' : 'gray'}
      variant="light"
      icon={<IconClock aria-hidden />}
      title={plural(queued, 'run waits', 'runs wait')}
    >
      <Text size="sm" c="var(--mantine-color-text)">
        {why}{' '}
        <Anchor component={Link} to={to.testbeds} size="sm" underline="always">
          Queue and testbeds
        </Anchor>
      </Text>
    </Alert>
  );
}
