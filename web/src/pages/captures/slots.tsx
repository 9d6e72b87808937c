import { Button, FileButton, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';

import { api, client } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { Busy, Muted } from '../../ui/text';
import { SignButton } from '../../ui/buttons';
import { Failure } from '../../ui/asked';

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
        <Muted>{about}</Muted>
        <div aria-live="polite">
          {sending === null ? (
            sha256 !== null && <Here sha256={sha256} />
          ) : (
            <Busy>Uploading {sending} …</Busy>
          )}
        </div>
        {error !== null && <Failure title="The capture was not accepted" error={error} />}
        <Group gap="xs">
          <FileButton accept={ACCEPTED} onChange={(file) => void send(file)} disabled={disabled}>
            {(props) => (
              <SignButton
                {...props}
                size="xs"
                disabled={disabled || sending !== null}
                sign={IconFileUpload}
                aria-label={`${chooses}: ${title.toLowerCase()}`}
              >
                {chooses}
              </SignButton>
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
