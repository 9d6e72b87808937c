import { Stack, Textarea, TextInput } from '@mantine/core';

import type { Problem } from '../../api/failure';
import { valueAt, withValue, type Draft } from './draft';
import { Section } from './section';
import { messageAt, type FieldErrors, type Outcome } from './documents';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly outcome: Outcome;
  readonly errors: FieldErrors;
  readonly problems: readonly Problem[];
  /** An experiment that is changed keeps its name. */
  readonly named: boolean;
}

/** What the experiment is called. */
export function NameSection({ draft, change, outcome, errors, problems, named }: Props) {
  const description = valueAt(draft.rest, 'description');
  return (
    <Section step={5} title="Name" about="Both are suggested from your choices; change them as you like.">
      <Stack gap="sm">
        <TextInput
          label="Title"
          description="In one line"
          value={outcome.title}
          error={errors.title ?? messageAt(problems, 'title')}
          onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        />
        <TextInput
          label="Name"
          description={
            named ? 'Cannot be changed; a copy can have another name' : 'Short; used for batches and files'
          }
          maw={420}
          readOnly={named}
          value={outcome.experiment.name}
          error={errors.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <Textarea
          label="Description"
          description="Optional"
          autosize
          minRows={2}
          value={typeof description === 'string' ? description : ''}
          onChange={({ currentTarget: { value } }) =>
            change({ rest: withValue(draft.rest, 'description', value === '' ? undefined : value) })
          }
        />
      </Stack>
    </Section>
  );
}
