import { Badge, Group } from '@mantine/core';
import { IconPackageImport, IconPin } from '@tabler/icons-react';

import type { Schema } from '../../api/client';

/** Where the runs of a batch are made, in words: `simulated`, `live, netem`. */
export function whereInWords({ testbed, plane }: Pick<Schema<'BatchTold'>, 'testbed' | 'plane'>): string {
  if (testbed === 'sim') return 'simulated';
  const where = testbed === 'kernel' ? 'in kernels of their own' : 'live';
  return plane === null ? where : `${where}, ${plane === 'model' ? 'link model' : plane}`;
}

/** What is special about a batch: whether it came from elsewhere, whether its files are kept. */
export function BatchTags({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  return (
    <Group gap={6}>
      <Badge variant="default" fw={500}>
        {whereInWords(batch)}
      </Badge>
      {batch.imported && (
        <Badge
          variant="default"
          fw={500}
          leftSection={<IconPackageImport size={12} aria-hidden />}
          title="From a capsule that was made elsewhere; a rerun here checks its numbers"
        >
          imported
        </Badge>
      )}
      {batch.pinned && (
        <Badge
          variant="default"
          fw={500}
          leftSection={<IconPin size={12} aria-hidden />}
          title="Its files are kept, whatever their age and size"
        >
          pinned
        </Badge>
      )}
    </Group>
  );
}
