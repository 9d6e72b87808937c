import { Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';

import { Muted } from '../ui/text';
import { QUEUE_KINDS, QUEUES, SWITCHES, type QueueDraft, type QueueKind } from './queue';

interface Props {
  readonly draft: QueueDraft;
  /** What is wrong, by key; '' is the queue as a whole. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly onChange: (draft: QueueDraft) => void;
}

const KINDS = QUEUE_KINDS.map((kind) => ({ value: kind, label: QUEUES[kind].label }));

/** Words of one line and of two below their fields, so that the fields are in line. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** A discipline and its parameters. An empty field stands for what its placeholder says. */
export function QueueFields({ draft, wrong, onChange }: Props) {
  const { about, fields, switches } = QUEUES[draft.kind];
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <Select
          label="Queue"
          description={about}
          inputWrapperOrder={ORDER}
          data={KINDS}
          value={draft.kind}
          error={wrong['kind'] ?? wrong['']}
          onChange={(kind) => {
            if (kind !== null) onChange({ ...draft, kind: kind as QueueKind });
          }}
        />
        {fields.map(({ key, label, without, about: hint }) => (
          <TextInput
            key={key}
            label={label}
            description={hint}
            inputWrapperOrder={ORDER}
            placeholder={without ?? undefined}
            required={without === null}
            value={draft.texts[key] ?? ''}
            error={wrong[key]}
            onChange={(event) => {
              onChange({ ...draft, texts: { ...draft.texts, [key]: event.currentTarget.value } });
            }}
          />
        ))}
      </SimpleGrid>
      {Object.entries(switches).map(([key, normal]) => (
        <Switch
          key={key}
          label={SWITCHES[key]}
          checked={draft.switches[key] ?? normal}
          error={wrong[key]}
          onChange={(event) => {
            onChange({ ...draft, switches: { ...draft.switches, [key]: event.currentTarget.checked } });
          }}
        />
      ))}
      {'ecn' in switches && (
        <Muted>Marks only packets of a sender with ecn = &quot;on&quot;, such as sack+ecn.</Muted>
      )}
    </Stack>
  );
}
