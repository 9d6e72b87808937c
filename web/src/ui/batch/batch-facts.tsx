import { Badge, type BadgeProps, Group } from '@mantine/core';
import { IconPackageImport, IconPin, IconTag } from '@tabler/icons-react';

import type { Schema } from '../../api/client';

/** Where the runs of a batch are made, in words: `simulated`, `live, netem`. */
export function whereInWords({ testbed, plane }: Pick<Schema<'BatchView'>, 'testbed' | 'plane'>): string {
  if (testbed === 'sim') return 'simulated';
  const where = testbed === 'kernel' ? 'in kernels of their own' : 'live';
  return plane === null ? where : `${where}, ${plane === 'model' ? 'link model' : plane}`;
}

const Tag = (tag: BadgeProps & { readonly title?: string }) => <Badge variant="default" fw={500} {...tag} />;

/** What is special about a batch: whether it came from elsewhere, whether its files are kept, and how people call it. */
export function BatchTags({ batch }: { readonly batch: Schema<'BatchView'> }) {
  return (
    <Group gap={6}>
      <Tag>{whereInWords(batch)}</Tag>
      {batch.imported && (
        <Tag
          leftSection={<IconPackageImport size={12} aria-hidden />}
          title="From a capsule that was made elsewhere; a rerun here checks its numbers"
        >
          imported
        </Tag>
      )}
      {batch.pinned && (
        <Tag
          leftSection={<IconPin size={12} aria-hidden />}
          title="Its files are kept, whatever their age and size"
        >
          pinned
        </Tag>
      )}
      {batch.tags.map((tag) => (
        <Badge key={tag} variant="light" fw={500} tt="none" leftSection={<IconTag size={12} aria-hidden />}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
