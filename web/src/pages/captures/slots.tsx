import { Button, FileButton, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';

import { api, client } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { Failure } from '../../ui/asked';
import { SignButton } from '../../ui/buttons';
import { Busy, Muted, Notice } from '../../ui/text';
import { useDrop } from '../../ui/use-drop';

/** A capture that the service has. */
export interface Capture {
  readonly sha256: string;
  /** Of the file that it came from, if that is known. */
  readonly name: string | null;
}

interface Chosen {
  readonly first: Capture | null;
  readonly second: Capture | null;
}

interface Props extends Chosen {
  readonly onChange: (next: Chosen) => void;
}

const SLOTS = [
  {
    end: 'first',
    title: 'Capture of one end',
    about: 'The client’s or the server’s: a capture of TCP, or a qlog file of QUIC.',
  },
  { end: 'second', title: 'Capture of the other end', about: 'Optional: shows what arrived.' },
] as const;

/** What the browser may offer: the names that captures have. */
const ACCEPTED = '.pcap,.pcapng,.cap,.qlog,.sqlog,application/vnd.tcpdump.pcap';

const TWICE = 'The same capture twice: drop the other end’s, or this one alone.';

type End = (typeof SLOTS)[number]['end'];

/** Takes one capture, or both ends' two: chosen, or dropped, two at once as well. */
export function CaptureSlots({ first, second, onChange }: Props) {
  const [sending, setSending] = useState<ReadonlyMap<End, string>>(new Map());
  const [refused, setRefused] = useState<ReadonlyMap<End, unknown>>(new Map());
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const here: Record<End, Capture | null> = { first, second };

  /** Uploads a capture for each of these ends, one after the other: each may have most of a gigabyte. */
  const send = async (files: ReadonlyMap<End, File>) => {
    setSending(new Map([...files].map(([end, file]) => [end, file.name])));
    setRefused(new Map());
    const next = { first, second };
    for (const [end, file] of files) {
      const other = end === 'first' ? 'second' : 'first';
      try {
        const capture = { sha256: await uploaded(file), name: file.name };
        if (capture.sha256 === next[other]?.sha256) throw new Error(TWICE);
        next[end] = capture;
      } catch (error) {
        setRefused((before) => new Map(before).set(end, error));
      }
      setSending((before) => new Map([...before].filter(([other]) => other !== end)));
    }
    // The other end's alone is a capture of one end.
    if (next.first === null) onChange({ first: next.second, second: null });
    else onChange(next);
  };

  /** One file is for the slot that it is dropped on; of two, the first is for the first. A connection has no third end. */
  const take = (end: End, files: readonly File[]) => {
    if (files.length === 0 || sending.size > 0) return;
    const [one, other, ...more] = files;
    setLeftOut(more.map(({ name }) => name));
    void send(
      files.length === 1
        ? new Map([[first === null ? 'first' : end, one]])
        : new Map([
            ['first', one],
            ['second', other],
          ]),
    );
  };

  return (
    <Stack gap="sm">
      {leftOut.length > 0 && (
        <Notice role="alert" color="yellow" sign={IconAlertTriangle} title="Only two files were taken">
          Left out: {leftOut.join(', ')}. A connection has two ends: drop the capture of each, no more.
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {SLOTS.map(({ end, title, about }) => (
          <Slot
            key={end}
            title={title}
            about={about}
            capture={here[end]}
            sending={sending.get(end) ?? null}
            refused={refused.get(end) ?? null}
            disabled={sending.size > 0 || (end === 'second' && first === null)}
            onFiles={(files) => take(end, files)}
            onRemove={() =>
              onChange(end === 'first' ? { first: second, second: null } : { first, second: null })
            }
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** The hash of a capture that the service has now. */
async function uploaded(file: File): Promise<string> {
  const { data } = await client.POST('/api/v1/captures', {
    headers: { 'Content-Type': 'application/octet-stream' },
    // The document has text for what is a file: it has no word for octets.
    body: file as unknown as string,
    bodySerializer: (body: unknown) => body as File,
  });
  if (data === undefined) throw new Error('the service said nothing of the capture');
  return data.sha256;
}

interface SlotProps {
  readonly title: string;
  readonly about: string;
  readonly capture: Capture | null;
  /** The name of the file that is on its way. */
  readonly sending: string | null;
  readonly refused: unknown;
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onRemove: () => void;
}

function Slot({ title, about, capture, sending, refused, disabled, onFiles, onRemove }: SlotProps) {
  const { target, frame } = useDrop(onFiles);
  const chooses = capture === null ? 'Choose a file' : 'Choose another file';
  return (
    <Paper
      withBorder
      p="sm"
      component="section"
      aria-label={title}
      style={{ ...frame, ...(capture !== null && { borderStyle: 'solid' }) }}
      {...target}
    >
      <Stack gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Muted>{about}</Muted>
        <div aria-live="polite">
          {sending === null ? (
            capture !== null && <Here capture={capture} />
          ) : (
            <Busy>Uploading {sending} …</Busy>
          )}
        </div>
        {refused !== null && <Failure title="The capture was not accepted" error={refused} />}
        <Group gap="xs">
          <FileButton
            accept={ACCEPTED}
            onChange={(file) => {
              if (file !== null) onFiles([file]);
            }}
            disabled={disabled}
          >
            {(props) => (
              <SignButton
                {...props}
                size="xs"
                disabled={disabled}
                sign={IconFileUpload}
                aria-label={`${chooses}: ${title.toLowerCase()}`}
              >
                {chooses}
              </SignButton>
            )}
          </FileButton>
          {capture === null ? (
            <Muted>Or drop it here. The captures of both ends can be dropped together.</Muted>
          ) : (
            <Button
              variant="subtle"
              size="xs"
              aria-label={`Remove it: ${title.toLowerCase()}`}
              onClick={onRemove}
            >
              Remove it
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

/** What is here of a capture. */
function Here({ capture: { sha256, name } }: { readonly capture: Capture }) {
  const query = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}',
    { params: { path: { sha256 } } },
    { retry: false },
  );
  if (query.error) return <Failure title="The service does not have this capture" error={query.error} />;
  if (!query.data) return null;
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {name !== null && (
        <Text span fw={600}>
          {name}:{' '}
        </Text>
      )}
      {query.data.format}, {formatOctets(query.data.size_bytes)}, SHA-256 {sha256.slice(0, 12)}…
    </Text>
  );
}
