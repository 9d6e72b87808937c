import {
  Alert,
  Anchor,
  Button,
  CloseButton,
  FileButton,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
} from '@mantine/core';
import { IconCheck, IconPackageImport } from '@tabler/icons-react';
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { Link } from 'react-router';

import { ApiFailure } from '../../api/failure';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { useUpload, type Upload } from './use-upload';

interface Props {
  /** One came here to bring a capsule: the button has the focus then. */
  readonly asked: boolean;
  readonly children: ReactNode;
}

/** Takes capsules from a button, or dropped anywhere on its children. */
export function CapsuleUpload({ asked, children }: Props) {
  const { uploads, send, forget } = useUpload();
  const [over, setOver] = useState(false);
  // Entering a child comes before leaving its parent: only the last one that is left ends it.
  const depth = useRef(0);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asked) button.current?.focus();
  }, [asked]);
  const holds = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return (
    <Stack
      onDragEnter={(event) => {
        if (!holds(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragOver={(event) => {
        if (holds(event)) event.preventDefault();
      }}
      onDragLeave={(event) => {
        if (!holds(event)) return;
        depth.current = Math.max(0, depth.current - 1);
        if (depth.current === 0) setOver(false);
      }}
      onDrop={(event) => {
        if (!holds(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        send([...event.dataTransfer.files]);
      }}
    >
      <Paper
        withBorder
        p="sm"
        style={{
          borderStyle: 'dashed',
          ...(over && { borderColor: 'var(--mantine-primary-color-filled)' }),
        }}
      >
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
              <Button ref={button} variant="default" {...props}>
                Choose a capsule
              </Button>
            )}
          </FileButton>
        </Group>
      </Paper>
      <div aria-live="polite">
        <Stack gap="xs">
          {uploads.map((upload, i) => (
            <Told
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

interface ToldProps {
  readonly upload: Upload;
  readonly again: () => void;
  readonly forget: () => void;
}

function Told({ upload, again, forget }: ToldProps) {
  const { file } = upload;
  switch (upload.state) {
    case 'sending':
      return (
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm">Importing {file.name} …</Text>
        </Group>
      );
    case 'kept':
      return (
        <Alert
          color="teal"
          variant="light"
          icon={<IconCheck aria-hidden />}
          title={`${file.name} was imported`}
          withCloseButton
          closeButtonLabel="Close this message"
          onClose={forget}
        >
          <Text size="sm" c="var(--mantine-color-text)">
            It is{' '}
            <Anchor component={Link} to={to.batch(upload.batch.id)} size="sm" underline="always">
              batch {upload.batch.id}
            </Anchor>
            , marked as imported: its numbers come from the machine that ran it. To check them, run it again
            here.
          </Text>
        </Alert>
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
                A capsule is the unchanged file that “Capsule: everything” on a run’s page downloads.
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
