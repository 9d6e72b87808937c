import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { formatOctets } from '../../lib/format';

type Run = Schema<'RunTold'>;

interface Download {
  /** As the engine names the file. */
  readonly file: string;
  readonly path: string;
  readonly label: string;
  readonly saveAs: (id: number) => string;
}

const DOWNLOADS: readonly Download[] = [
  {
    file: 'server.pcapng',
    path: 'captures/server',
    label: 'Capture, server',
    saveAs: (id) => `run-${id}-server.pcapng`,
  },
  {
    file: 'client.pcapng',
    path: 'captures/client',
    label: 'Capture, client',
    saveAs: (id) => `run-${id}-client.pcapng`,
  },
  {
    file: 'emulator.pcapng',
    path: 'captures/emulator',
    label: 'Capture, emulator',
    saveAs: (id) => `run-${id}-emulator.pcapng`,
  },
  {
    file: 'fates.csv',
    path: 'fates',
    label: 'Fate of each packet',
    saveAs: (id) => `run-${id}-fates.csv`,
  },
  {
    file: 'events.jsonl',
    path: 'events',
    label: 'Events of link and sender',
    saveAs: (id) => `run-${id}-events.jsonl`,
  },
  { file: 'run.json', path: 'analysis', label: 'Analysis', saveAs: (id) => `run-${id}-analysis.json` },
];

/** All files of a run, and the one that has them all. */
export function Downloads({ run }: { readonly run: Run }) {
  const files = run.result?.files ?? [];
  return (
    <Stack component="section" gap="xs" aria-labelledby="downloads">
      <Title order={2} size="h4" id="downloads">
        Downloads
      </Title>
      <Group gap="xs">
        <Button
          component="a"
          href={`/api/v1/runs/${run.id}/capsule`}
          download={`run-${run.id}.capsule.zip`}
          variant="light"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
          title="The whole run in one file, which “windlull capsule” and every Windlull service read"
        >
          Capsule: everything
        </Button>
        {DOWNLOADS.map(({ file, path, label, saveAs }) => {
          const known = files.find(({ name }) => name === file);
          if (known === undefined) return null;
          return (
            <Button
              key={file}
              component="a"
              href={`/api/v1/runs/${run.id}/${path}`}
              download={saveAs(run.id)}
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} aria-hidden />}
              title={file}
            >
              {label} ({formatOctets(known.bytes)})
            </Button>
          );
        })}
      </Group>
      {!files.some(({ name }) => name.endsWith('.pcapng')) && (
        <Text size="sm" c="dimmed">
          The batch was submitted without captures.
        </Text>
      )}
    </Stack>
  );
}
