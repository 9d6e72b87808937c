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
import { SelectRows, type Selection } from '../../ui/select-rows';

type Batch = Schema<'BatchView'>;

/** Batches with their progress and what can be done to them. */
export function BatchTable({ batches, ...selection }: Selection & { readonly batches: readonly Batch[] }) {
  return (
    <WideTable
      label="Batches"
      minWidth={750}
      verticalSpacing="sm"
      layout="fixed"
      heads={[
        {
          children: (
            <Group gap="xs" wrap="nowrap">
              <SelectRows
                {...selection}
                ids={batches.map(({ id }) => id)}
                label="Select all batches of this page"
              />
              Batch
            </Group>
          ),
          w: 112,
        },
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
          head={
            <Group gap="xs" wrap="nowrap">
              <SelectRows {...selection} ids={[batch.id]} label={`Select batch ${batch.id}`} />
              {batch.id}
            </Group>
          }
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
                      {batch.experiment}, seed {batch.seed}
                    </Text>
                    <BatchTags batch={batch} />
                  </Group>
                  {batch.note !== '' && (
                    <Text size="xs" mt={4} lineClamp={2}>
                      {batch.note}
                    </Text>
                  )}
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
