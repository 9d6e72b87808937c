import { Stack, Text } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { inShell, useElsewhere } from '../../parts/elsewhere';
import { Copyable } from '../../ui/copy';
import { Muted } from '../../ui/text';
import { Section } from '../../ui/page';
import { Asked, Waiting } from '../../ui/asked';
import { DownloadToml } from '../../ui/download-toml';
import { commandOf } from './command';

/** The experiment as it was run, and how to run it elsewhere. */
export function AsRun({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const elsewhere = useElsewhere(batch);
  return (
    <Stack gap="xl">
      <Section title="From the command line">
        <Muted maw="80ch">
          The same runs without a service. Simulated ones give the same bytes on every machine.
          {elsewhere?.byHand === true &&
            ' Its files may differ from the shipped ones: save those below under their paths in a directory, here “profiles”.'}
          {elsewhere !== null &&
            elsewhere.before.length > 0 &&
            ' The lines before the last one write the files that the batch was made from into a directory of their own.'}
        </Muted>
        {elsewhere === null ? (
          <Waiting what="the command" rows={1} />
        ) : (
          <Copyable text={inShell(elsewhere, commandOf(batch))} what="the command" />
        )}
      </Section>
      <Files batch={batch} />
    </Stack>
  );
}

/** The texts that a batch was made of, as they were then. */
function Files({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const files = api.useQuery('get', '/api/v1/batches/{id}/files', { params: { path: { id: batch.id } } });
  return (
    <Section title="The experiment as it was run">
      <Muted maw="80ch">
        Its files as they were when the batch was created; later changes to profiles do not affect them.
      </Muted>
      <Asked query={files} failed="The files could not be read" what="the files">
        {(answer) => answer.files.map((file, i) => <One key={file.path} file={file} open={i === 0} />)}
      </Asked>
    </Section>
  );
}

interface OneProps {
  readonly file: Schema<'TextView'>;
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
        <DownloadToml
          toml={text}
          file={path.split('/').at(-1) ?? path}
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          aria-label={`Download TOML: ${path}`}
        />
      </Stack>
    </details>
  );
}
