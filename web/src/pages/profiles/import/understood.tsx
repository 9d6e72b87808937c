import { Alert, Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';

import { figuresInWords, RecordingChart } from './chart';
import { figuresOf, WINDOW_S } from './figures';
import type { Read, Recording } from './read-file';

/** What was understood of a file, computed from it alone; or at which line it was not. */
export function Understood({ file, read }: { readonly file: string; readonly read: Read }) {
  if ('wrong' in read) {
    const { line, message } = read.wrong;
    return (
      <Alert role="alert" color="red" variant="light" title={line === null ? file : `${file}, line ${line}`}>
        <Text size="sm" c="var(--mantine-color-text)">
          {message} If the file has another format, choose it above.
        </Text>
      </Alert>
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
          <div key={word}>
            <Text component="dt" size="xs" c="dimmed">
              {word}
            </Text>
            <Text component="dd" size="sm" m={0} fw={600}>
              {value}
            </Text>
          </div>
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
