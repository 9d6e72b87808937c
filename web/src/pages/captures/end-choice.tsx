import { SegmentedControl, Stack, Text } from '@mantine/core';

/** Where a capture was made. */
export type End = 'server' | 'client';

const UNSAID = 'unsaid';

const CHOICES = [
  { value: UNSAID, label: 'From the file' },
  { value: 'server', label: 'Data sender' },
  { value: 'client', label: 'Data receiver' },
];

interface Props {
  readonly end: End | null;
  readonly onChange: (next: End | null) => void;
}

/** At which end the first capture was made: what the files tell, or what somebody knows better. */
export function EndChoice({ end, onChange }: Props) {
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" fw={500} id="capture-end">
        The first capture was made at
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby="capture-end"
        data={CHOICES}
        value={end ?? UNSAID}
        onChange={(next) => onChange(endOf(next))}
      />
      <Text size="xs" c="dimmed">
        If the file does not say, the analysis guesses from the handshake’s times and adds a note.
      </Text>
    </Stack>
  );
}

/** The end that an address names. */
export const endIn = (params: URLSearchParams): End | null => endOf(params.get('end'));

const endOf = (word: string | null): End | null => (word === 'server' || word === 'client' ? word : null);
