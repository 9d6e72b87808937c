import { Group, Text } from '@mantine/core';

import { api } from '../../api/client';
import { sentence } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { RoundBadge } from '../../ui/round-badge';

/** Which schedule made a batch, and what its gate says of it; nothing of a batch that somebody asked for. */
export function MadeBySchedule({ id }: { readonly id: number }) {
  const { data } = api.useQuery('get', '/api/v1/batches/{id}/round', { params: { path: { id } } });
  if (!data?.round) return null;
  const { round, schedule } = data;
  const words = round.gate?.words ?? round.reason;
  return (
    <Group gap="xs" role="note" aria-label="Schedule">
      <Text size="sm">
        Made by the schedule <TextLink to={to.schedule(round.schedule)}>{schedule}</TextLink>
      </Text>
      <RoundBadge round={round} />
      {words !== null && <Text size="sm">{sentence(words)}</Text>}
    </Group>
  );
}
