import { Stack, Textarea, TextInput } from '@mantine/core';

import { texts } from '../../lib/json';
import { Bullets, Muted } from '../../ui/text';
import { Folded } from '../../ui/folded';
import { useForm } from './use-form';

/** Where the experiment is from, and what its source leaves open. */
export function OriginSection() {
  const { at, own, below, set, typed } = useForm();
  const source = at('source');
  const inherited = texts(below('assumptions'));
  return (
    <Folded
      id="origin"
      title="Source and assumptions"
      about={
        typeof source === 'string'
          ? source
          : 'If it repeats published work: which, and what you assumed where that gives no value'
      }
    >
      <Stack gap="sm">
        <TextInput label="Source" description="A paper with its section and table" {...typed('source')} />
        <Textarea
          label="Assumptions"
          description="One per line: what the source does not give, what was chosen, and why"
          autosize
          minRows={2}
          value={texts(own('assumptions')).join('\n')}
          onChange={({ currentTarget: { value } }) =>
            set('assumptions', value === '' ? undefined : value.split('\n'))
          }
        />
        {inherited.length > 0 && (
          <Stack gap={4}>
            <Muted>Inherited, and listed after these:</Muted>
            <Bullets of={inherited} c="dimmed" />
          </Stack>
        )}
      </Stack>
    </Folded>
  );
}
