import { Stack, Textarea, TextInput } from '@mantine/core';

import { FormSection } from '../../ui/form-section';
import { useForm } from './use-form';

/** What the experiment is called. */
export function NameSection() {
  const { change, outcome, errors, edited, message, typed } = useForm();
  // An experiment that is changed keeps its name.
  const named = edited !== null;
  return (
    <FormSection step={5} title="Name" about="Both are suggested from your choices; change them as you like.">
      <Stack gap="sm">
        <TextInput
          label="Title"
          description="In one line"
          value={outcome.title}
          error={errors.title ?? message('title')}
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
        <Textarea label="Description" description="Optional" autosize minRows={2} {...typed('description')} />
      </Stack>
    </FormSection>
  );
}
