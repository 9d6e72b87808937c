import { FileButton, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { IconFileUpload, IconX } from '@tabler/icons-react';
import { useState } from 'react';

import { SignButton } from '../../../ui/buttons';
import { Muted, Wrong } from '../../../ui/text';
import { useDrop } from '../../../ui/use-drop';
import type { Answer, GivenFile, Side } from './draft';

/** The API takes no larger request; text in JSON is somewhat longer than the file. */
const MOST_OCTETS = 8_000_000;
const MOST_FILES = 8;

const SIDES: readonly { readonly value: Side; readonly label: string }[] = [
  { value: 'both', label: 'As the file says' },
  { value: 'down', label: 'Down: from server to client' },
  { value: 'up', label: 'Up: from client to server' },
];

const FORMATS: Readonly<Record<string, string>> = {
  table: 'a table',
  mahimahi: 'a Mahimahi trace',
  ping: 'output of ping',
  irtt: 'output of irtt',
  iperf3: 'output of iperf3 -J',
  ibox: 'a profile of iBoxNet',
  lens: 'a CSV of LENS',
  errant: 'profiles of ERRANT',
  'cellreplay-light': 'a light trace of CellReplay',
  'leoreplayer-delay': 'delays of LeoReplayer',
};
const LOOKS = 'looks';

interface Props {
  readonly files: readonly GivenFile[];
  readonly answer: Answer | null;
  readonly onFiles: (files: readonly GivenFile[]) => void;
}

/** Where files are chosen or dropped; each with what it is taken for, and of which direction it tells. */
export function Files({ files, answer, onFiles }: Props) {
  const [wrong, setWrong] = useState<string | null>(null);
  const take = async (given: readonly File[]) => {
    setWrong(null);
    const taken: GivenFile[] = [];
    for (const file of given) {
      try {
        taken.push({ name: file.name, text: await file.text(), direction: 'both', format: null });
      } catch {
        setWrong(`${file.name} cannot be read. Is it still there, and not a folder?`);
        return;
      }
    }
    const names = new Set(taken.map(({ name }) => name));
    const all = [...files.filter(({ name }) => !names.has(name)), ...taken];
    if (all.length > MOST_FILES) setWrong(`At most ${MOST_FILES} files make a link.`);
    else if (all.reduce((sum, { text }) => sum + text.length, 0) > MOST_OCTETS)
      setWrong(
        `Too large: together ${MOST_OCTETS / 1e6} MB at most. Cut the file, or use windlull link import.`,
      );
    else onFiles(all);
  };
  const { target, frame } = useDrop((given) => void take(given));
  return (
    <Paper component="section" aria-label="Files" withBorder p="md" style={frame} {...target}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Muted>Choose a file, or drop it here. Several files tell of one link together.</Muted>
          <FileButton
            multiple
            onChange={(given) => void take(given)}
            inputProps={{ 'aria-label': 'Recording' }}
          >
            {(button) => (
              <SignButton {...button} size="xs" sign={IconFileUpload}>
                {files.length === 0 ? 'Choose a file' : 'Add a file'}
              </SignButton>
            )}
          </FileButton>
        </Group>
        {wrong !== null && <Wrong role="alert">{wrong}</Wrong>}
        {files.map((file) => {
          const kind = answer?.files.find(({ name }) => name === file.name)?.format;
          const changed = (to: Partial<GivenFile>) =>
            onFiles(files.map((one) => (one === file ? { ...one, ...to } : one)));
          return (
            <Group key={file.name} justify="space-between" align="flex-end">
              <Stack gap={0}>
                <Text fw={600}>{file.name}</Text>
                {kind !== undefined && <Muted>Read as {FORMATS[kind] ?? kind}</Muted>}
              </Stack>
              <Group gap="xs" align="flex-end">
                <Select
                  size="xs"
                  label={`Format of ${file.name}`}
                  allowDeselect={false}
                  data={[
                    { value: LOOKS, label: 'As it looks' },
                    ...Object.entries(FORMATS).map(([value, label]) => ({ value, label })),
                  ]}
                  value={file.format ?? LOOKS}
                  onChange={(value) => changed({ format: value === LOOKS ? null : value })}
                />
                <Select
                  size="xs"
                  label={`Direction of ${file.name}`}
                  allowDeselect={false}
                  data={SIDES}
                  value={file.direction}
                  onChange={(value) => changed({ direction: value ?? 'both' })}
                />
                <SignButton
                  size="xs"
                  sign={IconX}
                  onClick={() => onFiles(files.filter((one) => one !== file))}
                >
                  Remove
                </SignButton>
              </Group>
            </Group>
          );
        })}
      </Stack>
    </Paper>
  );
}
