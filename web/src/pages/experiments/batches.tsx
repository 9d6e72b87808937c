import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from 'react-router';

import { api } from '../../api/client';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { BatchTags } from '../../ui/batch/batch-facts';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { Waiting } from '../../ui/waiting';
import { WideTable } from '../../ui/wide-table';
import { Heads } from '../../ui/heads';

/** How many of the newest are shown. */
const LIMIT = 10;

/** The newest batches of an experiment. */
export function Batches({ name }: { readonly name: string }) {
  const { data, error, refetch } = api.useQuery('get', '/api/v1/batches', {
    params: { query: { experiment: name, limit: LIMIT } },
  });
  if (!data) {
    return error ? (
      <Failure title="Its batches could not be read" error={error} onRetry={() => void refetch()} />
    ) : (
      <Waiting what="its batches" rows={2} />
    );
  }
  if (data.items.length === 0) return <Text size="sm">It has not been run here yet.</Text>;
  return (
    <Stack gap="xs">
      <WideTable label="Batches of the experiment" minWidth={620}>
        <Table aria-label="Batches of the experiment">
          <Heads of={['Batch', 'State', 'Runs', 'Repetitions, seed', 'Where', 'Made']} />
          <Table.Tbody>
            {data.items.map((batch) => (
              <Table.Tr key={batch.id}>
                <Table.Th scope="row">
                  <Anchor component={Link} to={to.batch(batch.id)} size="sm" fw={600}>
                    {batch.id}
                  </Anchor>
                </Table.Th>
                <Table.Td>
                  <BatchBadge batch={batch} />
                </Table.Td>
                <Table.Td>{batch.total}</Table.Td>
                <Table.Td>
                  {batch.repetitions}, {batch.seed}
                </Table.Td>
                <Table.Td>
                  <BatchTags batch={batch} />
                </Table.Td>
                <Table.Td>
                  <Moment at={batch.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {data.next !== null && (
        <Group>
          <Anchor component={Link} to={`${to.batches}?experiment=${encodeURIComponent(name)}`} size="sm">
            All batches of it
          </Anchor>
        </Group>
      )}
    </Stack>
  );
}
