import { Button, Stack, Text } from '@mantine/core';
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
        Its files as they were when the batch was created; later changes to profiles do not affect them.
      </Text>
      {files.isPending && <Waiting what="the files" />}
      {files.isError && !files.data && (
        <Failure
          title="The files could not be read"
          error={files.error}
          onRetry={() => void files.refetch()}
        />
      )}
      {files.data?.files.map((file, i) => (
        <One key={file.path} file={file} open={i === 0} />
      ))}
    </Section>
  );
}

interface OneProps {
  readonly file: Schema<'TextTold'>;
  /** Whether its text is to be seen at first. */
  readonly open: boolean;
}

function One({ file: { path, text }, open }: OneProps) {
  return (
    <details open={open}>
      <summary>
        <Text component="span" fw={600} ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
      </summary>
      <Stack gap="xs" mt="xs">
        <Copyable text={text.trimEnd()} what={path} />
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          aria-label={`Download TOML: ${path}`}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() =>
            saveBlob(new Blob([text], { type: 'application/toml' }), path.split('/').at(-1) ?? path)
          }
        >
          Download TOML
        </Button>
      </Stack>
    </details>
  );
}
