import { Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { BatchTags } from '../../ui/batch/batch-facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { StateBar } from '../../ui/state-bar';
import { Heads } from '../../ui/heads';

/** The last batches that have ended. */
export function Recent({ batches }: { readonly batches: readonly Schema<'BatchTold'>[] }) {
  if (batches.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="recent" gap="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4" id="recent">
          Last results
        </Title>
        <Anchor component={Link} to={to.batches} size="sm">
          All runs
        </Anchor>
      </Group>
      <Table verticalSpacing="sm" layout="fixed" aria-labelledby="recent">
        <Heads of={['Experiment', { children: 'Runs', w: '42%' }]} />
        <Table.Tbody>
          {batches.map((batch) => (
            <Table.Tr key={batch.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Anchor component={Link} to={to.batch(batch.id)} size="sm" fw={600}>
                  {batch.title || batch.experiment}
                </Anchor>
                <Group gap={6} mt={4}>
                  <BatchTags batch={batch} />
                  <Text size="xs" c="dimmed" span>
                    batch {batch.id}, <Moment at={batch.created_at} />
                  </Text>
                </Group>
              </Table.Td>
              <Table.Td>
                <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
