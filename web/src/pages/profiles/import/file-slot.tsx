import { Button, FileButton, Group, Paper, Select, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconFileUpload, IconX } from '@tabler/icons-react';
import { useState, type DragEvent } from 'react';

import type { Direction } from './link-text';
import { guess, readRecording, type Format, type Read } from './read-file';
import { Understood } from './understood';

/** A file that was given for a direction, and what it was read as. */
export interface Given {
  readonly file: string;
  readonly text: string;
  readonly format: Format;
  readonly read: Read;
}

/** Larger files make no link that the controller takes; reading them would only stop the page. */
const MOST_OCTETS = 32 * 1024 * 1024;

const FORMATS: { value: Format; label: string }[] = [
  { value: 'trace', label: 'Mahimahi trace: milliseconds' },
  { value: 'steps', label: 'Rate over time: seconds, bits per second' },
  { value: 'delays-s', label: 'Delays: one a line, in seconds' },
  { value: 'delays-ms', label: 'Delays: one a line, in milliseconds' },
];

interface Props {
  readonly direction: Direction;
  readonly given: Given | null;
  readonly onGiven: (given: Given | null) => void;
}

/** A place for the file of a direction: chosen, or dropped here. */
export function FileSlot({ direction, given, onGiven }: Props) {
  const [over, setOver] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const name = direction === 'down' ? 'Down: from server to client' : 'Up: from client to server';
  const take = async (file: File | null | undefined) => {
    if (!file) return;
    if (file.size > MOST_OCTETS) {
      setWrong(
        `${file.name} is too large (${Math.round(file.size / 1e6)} MB, limit ${Math.round(MOST_OCTETS / 1e6)} MB). Use a shorter recording.`,
      );
      return;
    }
    let text: string;
    try {
      text = await file.text();
    } catch {
      setWrong(`${file.name} cannot be read. Is it still there, and not a folder?`);
      return;
    }
    setWrong(null);
    const format = guess(text, file.name);
    onGiven({ file: file.name, text, format, read: readRecording(text, format) });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files.item(0));
  };
  return (
    <Paper
      component="section"
      aria-label={name}
      withBorder
      p="md"
      style={{
        borderStyle: given === null ? 'dashed' : 'solid',
        ...(over && { borderColor: 'var(--mantine-primary-color-filled)' }),
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{name}</Text>
          <Group gap="xs">
            <Choose direction={direction} again={given !== null} onFile={(file) => void take(file)} />
            {given !== null && (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconX size={14} aria-hidden />}
                onClick={() => onGiven(null)}
              >
                Remove the file
              </Button>
            )}
          </Group>
        </Group>
        {wrong !== null && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {wrong}
          </Text>
        )}
        {given === null ? (
          <Text size="sm" c="dimmed">
            Or drop a file here. Without one, the fields below apply.
          </Text>
        ) : (
          <>
            <Select
              label={`Format of ${given.file}`}
              data={FORMATS}
              value={given.format}
              allowDeselect={false}
              maw={420}
              onChange={(value) => {
                const format = FORMATS.find((one) => one.value === value)?.value;
                if (format) onGiven({ ...given, format, read: readRecording(given.text, format) });
              }}
            />
            <Understood file={given.file} read={given.read} />
          </>
        )}
      </Stack>
    </Paper>
  );
}

interface ChooseProps {
  readonly direction: Direction;
  /** Whether there is a file already. */
  readonly again: boolean;
  readonly onFile: (file: File | null) => void;
}

function Choose({ direction, again, onFile }: ChooseProps) {
  return (
    <FileButton
      accept="text/plain,text/csv,.csv,.txt,.down,.up,.trace,.pps"
      onChange={onFile}
      inputProps={{ 'aria-label': `File for ${direction}` }}
    >
      {(button) => (
        <Button
          {...button}
          variant="default"
          size="xs"
          leftSection={<IconFileUpload size={14} aria-hidden />}
        >
          {again ? 'Choose another file' : 'Choose a file'}
          <VisuallyHidden> for {direction}</VisuallyHidden>
        </Button>
      )}
    </FileButton>
  );
}
