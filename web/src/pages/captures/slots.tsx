import { Button, FileButton, Group, Loader, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';

import { api, client } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { Failure } from '../../ui/failure';

interface Chosen {
  readonly first: string | null;
  readonly second: string | null;
}

interface Props extends Chosen {
  readonly onChange: (next: Chosen) => void;
}

const SLOTS = [
  { end: 'first', title: 'Capture of one end', about: 'The client’s or the server’s.' },
  { end: 'second', title: 'Capture of the other end', about: 'Optional: shows what arrived.' },
] as const;

/** What the browser may offer: the names that captures have. */
const ACCEPTED = '.pcap,.pcapng,.cap,application/vnd.tcpdump.pcap';

/** Takes one capture, or both ends' two. */
export function CaptureSlots({ first, second, onChange }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {SLOTS.map(({ end, title, about }) => (
        <Slot
          key={end}
          title={title}
          about={about}
          sha256={end === 'first' ? first : second}
          disabled={end === 'second' && first === null}
          onBrought={(sha256) =>
            onChange(end === 'first' ? { first: sha256, second } : { first, second: sha256 })
          }
        />
      ))}
    </SimpleGrid>
  );
}

interface SlotProps {
  readonly title: string;
  readonly about: string;
  readonly sha256: string | null;
  readonly disabled: boolean;
  readonly onBrought: (sha256: string | null) => void;
}

function Slot({ title, about, sha256, disabled, onBrought }: SlotProps) {
  const [sending, setSending] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const send = async (file: File | null) => {
    if (file === null) return;
    setError(null);
    setSending(file.name);
    try {
      const { data } = await client.POST('/api/v1/captures', {
        headers: { 'Content-Type': 'application/octet-stream' },
        // The document has text for what is a file: it has no word for octets.
        body: file as unknown as string,
        bodySerializer: (body: unknown) => body as File,
      });
      if (data) onBrought(data.sha256);
    } catch (refused) {
      setError(refused);
    } finally {
      setSending(null);
    }
  };
  const chooses = sha256 === null ? 'Choose a file' : 'Choose another file';
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Stack gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <div aria-live="polite">
          {sending === null ? (
            sha256 !== null && <Here sha256={sha256} />
          ) : (
            <Group gap="xs">
              <Loader size="xs" aria-hidden />
              <Text size="sm">Uploading {sending} …</Text>
            </Group>
          )}
        </div>
        {error !== null && <Failure title="The capture was not accepted" error={error} />}
        <Group gap="xs">
          <FileButton accept={ACCEPTED} onChange={(file) => void send(file)} disabled={disabled}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="xs"
                disabled={disabled || sending !== null}
                leftSection={<IconFileUpload size={14} aria-hidden />}
                aria-label={`${chooses}: ${title.toLowerCase()}`}
              >
                {chooses}
              </Button>
            )}
          </FileButton>
          {sha256 !== null && (
            <Button
              variant="subtle"
              size="xs"
              aria-label={`Remove it: ${title.toLowerCase()}`}
              onClick={() => onBrought(null)}
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
  const told = api.useQuery(
    'get',
    '/api/v1/captures/{sha256}',
    { params: { path: { sha256 } } },
    { retry: false },
  );
  if (told.error) return <Failure title="The service does not have this capture" error={told.error} />;
  if (!told.data) return null;
  return (
    <Text size="sm">
      {told.data.format}, {formatOctets(told.data.size_bytes)}, SHA-256 {sha256.slice(0, 12)}…
    </Text>
  );
}
