import { Button, Group, Spoiler, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { Copyable } from '../../ui/copy';
import { Failure } from '../../ui/failure';
import { saveBlob } from '../../ui/save';
import { Section } from '../../ui/section';
import { Waiting } from '../../ui/waiting';

/** The texts that a batch was made of, as they were then. */
export function Files({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const files = api.useQuery('get', '/api/v1/batches/{id}/files', { params: { path: { id: batch.id } } });
  return (
    <Section title="The experiment as it was run">
      <Text size="sm" c="dimmed" maw="80ch">
        Its files as they were when the batch was made; later changes of profiles do not touch them.
      </Text>
      {files.isPending && <Waiting what="the files" />}
      {files.isError && !files.data && (
        <Failure
          title="The files could not be read"
          error={files.error}
          onRetry={() => void files.refetch()}
        />
      )}
      {files.data?.files.map((file) => (
        <One key={file.path} file={file} />
      ))}
    </Section>
  );
}

function One({ file: { path, text } }: { readonly file: Schema<'TextTold'> }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
        <Button
          size="xs"
          variant="default"
          aria-label={`Download ${path}`}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => {
            saveBlob(new Blob([text], { type: 'application/toml' }), path.split('/').at(-1) ?? path);
          }}
        >
          TOML
        </Button>
      </Group>
      <Spoiler maxHeight={320} showLabel="Show all of it" hideLabel="Show less">
        <Copyable text={text.trimEnd()} what={path} />
      </Spoiler>
    </Stack>
  );
}
