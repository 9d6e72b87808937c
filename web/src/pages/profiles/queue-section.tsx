import { Stack, Text } from '@mantine/core';

import type { Problem } from '../../api/failure';
import { queueProblems, queuesIn, withQueue, type QueuePlace } from '../../link/queue';
import { QueueFields } from '../../link/queue-fields';
import { Section } from '../../ui/section';

interface Props {
  readonly toml: string;
  readonly problems: readonly Problem[];
  readonly onChange: (toml: string) => void;
}

const PLACES: Readonly<Record<QueuePlace, string>> = {
  both: 'Down and up alike',
  down: 'From server to client',
  up: 'From client to server',
};

/** The queues of the link as fields. They change the text above, and the text changes them. */
export function QueueSection({ toml, problems, onChange }: Props) {
  const queues = queuesIn(toml);
  if (queues.length === 0) return null;
  return (
    <Section title="The queue before the bottleneck">
      {queues.map(({ place, draft }) => (
        <Stack key={place} gap="xs">
          {queues.length > 1 && <Text fw={600}>{PLACES[place]}</Text>}
          <QueueFields
            draft={draft}
            wrong={queueProblems(problems, place)}
            onChange={(changed) => onChange(withQueue(toml, place, changed))}
          />
        </Stack>
      ))}
    </Section>
  );
}
