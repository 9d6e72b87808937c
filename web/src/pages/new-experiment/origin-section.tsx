import { Accordion, Stack, Text, Textarea, TextInput } from '@mantine/core';

import { valueAt, withValue, type Draft } from './draft';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
}

/** Where the experiment is from, and what its source leaves open. */
export function OriginSection({ draft, change }: Props) {
  const source = valueAt(draft.rest, 'source');
  const assumptions = valueAt(draft.rest, 'assumptions');
  const lines = Array.isArray(assumptions) ? assumptions.filter((one) => typeof one === 'string') : [];
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="origin">
        <Accordion.Control>
          <Text fw={600}>Source and assumptions</Text>
          <Text size="sm" c="dimmed">
            {typeof source === 'string'
              ? source
              : 'If it repeats published work: which, and what you assumed where that gives no value'}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <TextInput
              label="Source"
              description="A paper with its section and table"
              value={typeof source === 'string' ? source : ''}
              onChange={({ currentTarget: { value } }) =>
                change({ rest: withValue(draft.rest, 'source', value === '' ? undefined : value) })
              }
            />
            <Textarea
              label="Assumptions"
              description="One per line: what the source does not give, what was chosen, and why"
              autosize
              minRows={2}
              value={lines.join('\n')}
              onChange={({ currentTarget: { value } }) => {
                const told = value === '' ? undefined : value.split('\n');
                change({ rest: withValue(draft.rest, 'assumptions', told) });
              }}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
