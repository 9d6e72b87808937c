import { Group, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { BatchTags } from '../../ui/batch/batch-facts';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { StateBar } from '../../ui/state-bar';
import { Row, WideTable } from '../../ui/table';
import { RowActions } from './row-actions';

type Batch = Schema<'BatchView'>;

/** Batches with their progress and what can be done to them. */
export function BatchTable({ batches }: { readonly batches: readonly Batch[] }) {
  return (
    <WideTable
      label="Batches"
      minWidth={720}
      verticalSpacing="sm"
      layout="fixed"
      heads={[
        { children: 'Batch', w: 84 },
        'Experiment',
        { children: 'State', w: 116 },
        { children: 'Runs', w: '26%' },
        { children: 'Made', w: 130 },
        { children: 'Actions', w: 92 },
      ]}
    >
      {batches.map((batch) => (
        <Row
          key={batch.id}
          head={batch.id}
          bold
          cells={[
            {
              style: { overflowWrap: 'anywhere' },
              children: (
                <>
                  <TextLink to={to.batch(batch.id)} fw={600}>
                    {batch.title || batch.experiment}
                  </TextLink>
                  <Group gap={6} mt={4}>
                    <Text size="xs" c="dimmed" ff="monospace" span>
                      {batch.experiment}
                    </Text>
                    <BatchTags batch={batch} />
                  </Group>
                </>
              ),
            },
            <BatchBadge batch={batch} />,
            <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} height={8} />,
            <Text size="sm">
              <Moment at={batch.created_at} />
            </Text>,
            <RowActions batch={batch} />,
          ]}
        />
      ))}
    </WideTable>
  );
}
