import { Button, CloseButton, FileButton, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCheck, IconPackageImport } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';

import { ApiFailure } from '../../api/failure';
import { Busy, Notice } from '../../ui/text';
import { TextLink } from '../../ui/buttons';
import { Failure } from '../../ui/asked';
import { to } from '../../ui/links';
import { useDrop } from '../../ui/use-drop';
import { client, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';

interface Props {
  /** One came here to bring a capsule: the button has the focus then. */
  readonly asked: boolean;
  readonly children: ReactNode;
}

/** Takes capsules from a button, or dropped anywhere on its children. */
export function CapsuleUpload({ asked, children }: Props) {
  const { uploads, send, forget } = useUpload();
  const { over, target, frame } = useDrop(send);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asked) button.current?.focus();
  }, [asked]);
  return (
    <Stack {...target}>
      <Paper withBorder p="sm" style={frame}>
        <Group justify="space-between" gap="sm">
          <Group gap="sm" wrap="nowrap" flex="1 1 280px">
            <IconPackageImport size={22} stroke={1.6} aria-hidden style={{ flexShrink: 0 }} />
            <Text size="sm">
              {over
                ? 'Drop to import.'
                : 'Import a run from another machine: drop its capsule here, the file that contains all of it.'}
            </Text>
          </Group>
          <FileButton multiple accept=".zip,.capsule,application/zip" onChange={send}>
            {(props) => (
              <Button ref={button} {...props}>
                Choose a capsule
              </Button>
            )}
          </FileButton>
        </Group>
      </Paper>
      <div aria-live="polite">
        <Stack gap="xs">
          {uploads.map((upload, i) => (
            <UploadState
              key={i}
              upload={upload}
              again={() => send([upload.file])}
              forget={() => forget(upload.file)}
            />
          ))}
        </Stack>
      </div>
      {children}
    </Stack>
  );
}

interface UploadStateProps {
  readonly upload: Upload;
  readonly again: () => void;
  readonly forget: () => void;
}

function UploadState({ upload, again, forget }: UploadStateProps) {
  const { file } = upload;
  switch (upload.state) {
    case 'sending':
      return <Busy>Importing {file.name} …</Busy>;
    case 'kept':
      return (
        <Notice
          color="teal"
          sign={IconCheck}
          title={`${file.name} was imported`}
          withCloseButton
          closeButtonLabel="Close this message"
          onClose={forget}
        >
          It is{' '}
          <TextLink to={to.batch(upload.batch.id)} underline="always">
            batch {upload.batch.id}
          </TextLink>
          , marked as imported: its numbers come from the machine that ran it. To check them, run it again
          here.
        </Notice>
      );
    case 'refused':
      return (
        <Group wrap="nowrap" align="flex-start" gap="xs">
          <div style={{ flex: 1 }}>
            <Failure
              title={`${file.name} was not imported`}
              error={upload.error}
              onRetry={isRefused(upload.error) ? undefined : again}
            />
            {isRefused(upload.error) && (
              <Text size="sm" mt={4}>
                A capsule is the unchanged file that “Download everything” on a run’s page gives.
              </Text>
            )}
          </div>
          <CloseButton aria-label="Close this message" onClick={forget} />
        </Group>
      );
  }
}

/** Whether the file itself is to blame, so that sending it once more would end the same. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 422;
}

/** What became of a capsule that was brought. */
type Upload =
  | { readonly file: File; readonly state: 'sending' }
  | { readonly file: File; readonly state: 'kept'; readonly batch: Schema<'BatchView'> }
  | { readonly file: File; readonly state: 'refused'; readonly error: unknown };

interface Uploads {
  readonly uploads: readonly Upload[];
  readonly send: (files: readonly File[]) => void;
  readonly forget: (file: File) => void;
}

/** Sends capsules, one after the other. A file that is sent again after a failure has the key of its first try. */
function useUpload(): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queries = useQueryClient();
  const keys = useCreationKeys();
  const before = useRef(Promise.resolve());
  const put = (upload: Upload) => {
    setUploads((old) =>
      old.some(({ file }) => file === upload.file)
        ? old.map((one) => (one.file === upload.file ? upload : one))
        : [...old, upload],
    );
  };
  const sendOne = async (file: File) => {
    const asked = [file.name, file.size, file.lastModified];
    try {
      const { data } = await client.POST('/api/v1/capsules', {
        params: { header: { 'Idempotency-Key': keys.keyOf(asked) } },
        headers: { 'Content-Type': 'application/zip' },
        // The document has text for what is a file: it has no word for octets.
        body: file as unknown as string,
        bodySerializer: (body: unknown) => body as File,
      });
      keys.done(asked);
      if (data) put({ file, state: 'kept', batch: data });
      void queries.invalidateQueries({ queryKey: ['get', '/api/v1/batches'] });
    } catch (error) {
      put({ file, state: 'refused', error });
    }
  };
  const send = (files: readonly File[]) => {
    // What was refused before has been read by now.
    if (files.length > 0) setUploads((old) => old.filter(({ state }) => state !== 'refused'));
    for (const file of files) {
      put({ file, state: 'sending' });
      before.current = before.current.then(() => sendOne(file));
    }
  };
  const forget = (file: File) => setUploads((old) => old.filter((one) => one.file !== file));
  return { uploads, send, forget };
}
