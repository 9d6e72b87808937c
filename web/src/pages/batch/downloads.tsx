import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';

import type { Schema } from '../../api/client';

interface Format {
  readonly label: string;
  /** What is in it, in a line. */
  readonly about: string;
  /** Its address below that of the batch. */
  readonly path: string;
  /** What it is called when it is saved; null where it is a page to look at. */
  readonly name: string | null;
}

const filesOf = (id: number): readonly Format[] => [
  {
    label: 'Report',
    about: 'Results, claims and diagrams in one page, to save and send',
    path: 'report',
    name: null,
  },
  {
    label: 'Results as JSON',
    about: 'As “windlull run --json” writes them',
    path: 'results',
    name: `batch-${id}-results.json`,
  },
  {
    label: 'Results as Parquet',
    about: 'One row per run, one column per metric',
    path: 'results.parquet',
    name: `batch-${id}.parquet`,
  },
  {
    label: 'Results as CSV',
    about: 'The same as lines of text',
    path: 'results.csv',
    name: `batch-${id}.csv`,
  },
  {
    label: 'Experiment as JSON',
    about: 'With every default',
    path: 'experiment',
    name: `batch-${id}-experiment.json`,
  },
];

/** All that can be had of a batch, behind one button. */
export function Downloads({ batch: { id } }: { readonly batch: Schema<'BatchView'> }) {
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {filesOf(id).map(({ label, about, path, name }) => (
          <Menu.Item
            key={path}
            component="a"
            href={`/api/v1/batches/${id}/${path}`}
            {...(name === null ? { target: '_blank', rel: 'noopener' } : { download: name })}
          >
            {label}
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
