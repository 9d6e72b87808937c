import { Button, FileButton, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';

import { api, client } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { Failure } from '../../ui/asked';
import { SignButton } from '../../ui/buttons';
import { Busy, Muted } from '../../ui/text';
import { useDrop } from '../../ui/use-drop';

interface Chosen {
  readonly first: string | null;
  readonly second: string | null;
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

type End = (typeof SLOTS)[number]['end'];

/** Takes one capture, or both ends' two: chosen, or dropped, two at once as well. */
export function CaptureSlots({ first, second, onChange }: Props) {
  const [sending, setSending] = useState<ReadonlyMap<End, string>>(new Map());
  const [refused, setRefused] = useState<ReadonlyMap<End, unknown>>(new Map());
  const here: Record<End, string | null> = { first, second };

  /** Uploads a capture for each of these ends, one after the other: each may have most of a gigabyte. */
  const send = async (files: ReadonlyMap<End, File>) => {
    setSending(new Map([...files].map(([end, file]) => [end, file.name])));
    setRefused(new Map());
    const next = { first, second };
    for (const [end, file] of files) {
      try {
        next[end] = await uploaded(file);
      } catch (error) {
        setRefused((before) => new Map(before).set(end, error));
      }
      setSending((before) => new Map([...before].filter(([other]) => other !== end)));
    }
    // The other end's alone is a capture of one end.
    if (next.first === null) onChange({ first: next.second, second: null });
    else onChange(next);
  };

  /** One file is for the slot that it is dropped on; of two, the first is for the first. */
  const take = (end: End, files: readonly File[]) => {
    if (files.length === 0 || sending.size > 0) return;
    const [one, other] = files;
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
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {SLOTS.map(({ end, title, about }) => (
        <Slot
          key={end}
          title={title}
          about={about}
          sha256={here[end]}
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
  readonly sha256: string | null;
  /** The name of the file that is on its way. */
  readonly sending: string | null;
  readonly refused: unknown;
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onRemove: () => void;
}

function Slot({ title, about, sha256, sending, refused, disabled, onFiles, onRemove }: SlotProps) {
  const { target, frame } = useDrop(onFiles);
  const chooses = sha256 === null ? 'Choose a file' : 'Choose another file';
  return (
    <Paper
      withBorder
      p="sm"
      component="section"
      aria-label={title}
      style={{ ...frame, ...(sha256 !== null && { borderStyle: 'solid' }) }}
      {...target}
    >
      <Stack gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Muted>{about}</Muted>
        <div aria-live="polite">
          {sending === null ? (
            sha256 !== null && <Here sha256={sha256} />
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
          {sha256 === null ? (
            <Muted>Or drop it here, or both ends’ two at once.</Muted>
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
function Here({ sha256 }: { readonly sha256: string }) {
  const query = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}',
    { params: { path: { sha256 } } },
    { retry: false },
  );
  if (query.error) return <Failure title="The service does not have this capture" error={query.error} />;
  if (!query.data) return null;
  return (
    <Text size="sm">
      {query.data.format}, {formatOctets(query.data.size_bytes)}, SHA-256 {sha256.slice(0, 12)}…
    </Text>
  );
}
