import { Button, Code, Group, NumberInput, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../../api/client';
import type { DocumentView } from '../../api/documents';
import { saveFile } from '../../lib/save';
import { seedProblem } from '../../lib/seed';
import { useOwnFiles } from '../../parts/own-files';
import { Bullets, Notice } from '../../ui/text';
import { SignButton } from '../../ui/buttons';
import { Copyable } from '../../ui/copy';
import { Failure } from '../../ui/asked';
import { differences, exportLines } from './tc-script';

const LONGEST_S = 86_400;

/** A link as a script of `tc` and `nft`: what Linux's own emulator can do of it. */
export function ExportTc({ link }: { readonly link: DocumentView }) {
  const { name } = link;
  const own = useOwnFiles(link.builds_on);
  const [seed, setSeed] = useState('1');
  const [seconds, setSeconds] = useState<number | string>(60);
  const seedWrong = seedProblem(seed);
  const length =
    typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_S
      ? seconds
      : null;
  const made = useMutation({
    mutationFn: async (query: { link: string; seed: string; seconds: number }) => {
      const { data } = await client.GET('/api/v1/exports/tc', { params: { query }, parseAs: 'text' });
      return data ?? '';
    },
  });
  const good = seedWrong === null && length !== null;
  return (
    <Stack gap="sm">
      <Text size="sm" maw="80ch">
        A shell script of tc and nft commands for a router between two machines: it makes the link, plays its
        events, and removes what it made. What the kernel’s emulator cannot do is an error that names it, and
        is never left out.
      </Text>
      <Group align="flex-start">
        <TextInput
          label="Seed"
          description="Of the link’s random events"
          value={seed}
          error={seedWrong}
          inputMode="numeric"
          onChange={(event) => setSeed(event.currentTarget.value.trim())}
        />
        <NumberInput
          label="Seconds"
          description="How long its events last"
          value={seconds}
          onChange={setSeconds}
          error={length === null ? `A whole number from 1 to ${LONGEST_S}` : null}
          hideControls
        />
      </Group>
      <Group>
        <Button
          loading={made.isPending}
          disabled={!good}
          onClick={() => {
            if (length !== null) made.mutate({ link: name, seed, seconds: length });
          }}
        >
          Make the script
        </Button>
      </Group>
      {made.error !== null && <Failure title="Linux’s emulator cannot play this link" error={made.error} />}
      {made.data !== undefined && <Script name={name} script={made.data} />}
      {length !== null && seedWrong === null && (
        <Stack gap={4}>
          <Text size="sm">The same on the command line:</Text>
          <Copyable
            what="the command that makes the script"
            text={exportLines(link, own, { seed, seconds: length, out: fileOf(name) })}
          />
        </Stack>
      )}
    </Stack>
  );
}

function Script({ name, script }: { readonly name: string; readonly script: string }) {
  const notes = differences(script);
  return (
    <Stack gap="sm">
      {notes.length > 0 && (
        <Notice color="yellow" title="Where the script’s link differs from the model">
          <Bullets of={notes} c="var(--mantine-color-text)" />
        </Notice>
      )}
      <ScrollArea.Autosize
        mah={360}
        viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': 'The script' }}
      >
        <Code block style={{ overflow: 'visible' }}>
          {script}
        </Code>
      </ScrollArea.Autosize>
      <Group>
        <SignButton
          sign={IconDownload}
          onClick={() => saveFile(new Blob([script], { type: 'text/x-shellscript' }), fileOf(name))}
          variant="filled"
        >
          Download the script
        </SignButton>
      </Group>
    </Stack>
  );
}

const fileOf = (name: string) => `${name.replaceAll('/', '-')}.sh`;
