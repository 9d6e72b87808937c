import { FileButton, Group, Paper, Select, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconFileUpload, IconX } from '@tabler/icons-react';
import { useMemo, useState } from 'react';

import type { Direction } from '../../../api/client';
import { SignButton } from '../../../ui/buttons';
import { Muted, Notice, Wrong } from '../../../ui/text';
import { useDrop } from '../../../ui/use-drop';
import { Fact } from '../../../ui/facts';
import { type Format, guess, type Read, readRecording, type Recording } from './read-file';
import { figuresInWords, RecordingChart } from './chart';
import { figuresOf, WINDOW_S } from './figures';

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
  const { target, frame } = useDrop(([file]) => void take(file));
  return (
    <Paper
      component="section"
      aria-label={name}
      withBorder
      p="md"
      style={{ ...frame, ...(given !== null && { borderStyle: 'solid' }) }}
      {...target}
    >
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{name}</Text>
          <Group gap="xs">
            <Choose direction={direction} again={given !== null} onFile={(file) => void take(file)} />
            {given !== null && (
              <SignButton size="xs" sign={IconX} onClick={() => onGiven(null)}>
                Remove the file
              </SignButton>
            )}
          </Group>
        </Group>
        {wrong !== null && <Wrong role="alert">{wrong}</Wrong>}
        {given === null ? (
          <Muted>Or drop a file here. Without one, the fields below apply.</Muted>
        ) : (
          <>
            <Select
              label={`Format of ${given.file}`}
              data={FORMATS}
              value={given.format}
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
        <SignButton {...button} size="xs" sign={IconFileUpload}>
          {again ? 'Choose another file' : 'Choose a file'}
          <VisuallyHidden> for {direction}</VisuallyHidden>
        </SignButton>
      )}
    </FileButton>
  );
}

/** What was understood of a file, computed from it alone; or at which line it was not. */
function Understood({ file, read }: { readonly file: string; readonly read: Read }) {
  if ('wrong' in read) {
    const { line, message } = read.wrong;
    return (
      <Notice role="alert" color="red" title={line === null ? file : `${file}, line ${line}`}>
        {message} If the file has another format, choose it above.
      </Notice>
    );
  }
  return <Shown recording={read.recording} file={file} />;
}

function Shown({ recording, file }: { readonly recording: Recording; readonly file: string }) {
  const figures = useMemo(() => figuresOf(recording), [recording]);
  const words = figuresInWords(figures);
  return (
    <Stack gap="xs">
      <Group component="dl" gap="lg" my={0}>
        {words.map(([word, value]) => (
          <Fact key={word} name={word}>
            <b>{value}</b>
          </Fact>
        ))}
      </Group>
      <RecordingChart
        figures={figures}
        label={`${file}: ${words.map(([word, value]) => `${word.toLowerCase()} ${value}`).join(', ')}`}
      />
      <Text size="xs" c="dimmed">
        {noteOf(recording)}
      </Text>
    </Stack>
  );
}

function noteOf(recording: Recording): string {
  switch (recording.kind) {
    case 'trace':
      return `Each line is an opportunity to send 1504 octets; rates are counted over ${WINDOW_S} s. The trace begins again after its last line.`;
    case 'steps':
      return recording.offS === 0
        ? 'Each rate applies until the next line, the last one without end.'
        : `Each rate applies until the next line, the last one without end. The file begins at ${recording.offS} s, the link at 0.`;
    case 'delays':
      return 'Each packet draws one of these, all equally likely. The curve is the share of them up to a delay. Packets stay in order.';
  }
}
