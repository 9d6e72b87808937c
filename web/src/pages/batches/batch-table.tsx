import { Anchor, Group, Table, Text } from '@mantine/core';
import { Link } from 'react-router';

import type { Schema } from '../../api/client';
import { BatchTags } from '../../ui/batch/batch-facts';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { WideTable } from '../../ui/wide-table';
import { RowActions } from './row-actions';
import { Heads } from '../../ui/heads';

type Batch = Schema<'BatchTold'>;

/** Batches with their progress and what can be done to them. */
export function BatchTable({ batches }: { readonly batches: readonly Batch[] }) {
  return (
    <WideTable label="Batches" minWidth={720}>
      <Table verticalSpacing="sm" layout="fixed" aria-label="Batches">
        <Heads
          of={[
            { children: 'Batch', w: 84 },
            'Experiment',
            { children: 'State', w: 116 },
            { children: 'Runs', w: '26%' },
            { children: 'Made', w: 130 },
            { children: 'Actions', w: 92 },
          ]}
        />
        <Table.Tbody>
          {batches.map((batch) => (
            <Row key={batch.id} batch={batch} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function Row({ batch }: { readonly batch: Batch }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{batch.id}</Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Anchor component={Link} to={to.batch(batch.id)} size="sm" fw={600}>
          {batch.title || batch.experiment}
        </Anchor>
        <Group gap={6} mt={4}>
          <Text size="xs" c="dimmed" ff="monospace" span>
            {batch.experiment}
          </Text>
          <BatchTags batch={batch} />
        </Group>
      </Table.Td>
      <Table.Td>
        <BatchBadge batch={batch} />
      </Table.Td>
      <Table.Td>
        <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">
          <Moment at={batch.created_at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <RowActions batch={batch} />
      </Table.Td>
    </Table.Tr>
  );
}
