import { Button, Group, Modal, Stack, TagsInput, Textarea } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';

import { api, type Schema } from '../../api/client';
import { LONGEST_NOTE, MOST_TAGS, noteProblem, tagsProblem } from './labels';

interface Props {
  readonly batch: Schema<'BatchView'>;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSave: (labels: Pick<Schema<'BatchView'>, 'tags' | 'note'>) => void;
}

/** Asks for the tags and the note of a batch. */
export function LabelsDialog(props: Props) {
  const { batch, opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={`Tags and note of batch ${batch.id}`}>
      {opened && <Form {...props} />}
    </Modal>
  );
}

function Form({ batch, onClose, onSave }: Props) {
  const known = api.useQuery('get', '/api/v1/tags').data?.tags ?? [];
  const [tags, setTags] = useState<string[]>(batch.tags);
  const [note, setNote] = useState(batch.note);
  const [listed, setListed] = useState(false);
  const wrong = { tags: tagsProblem(tags), note: noteProblem(note) };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (wrong.tags !== null || wrong.note !== null) return;
    onSave({ tags, note });
    onClose();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TagsInput
          label="Tags"
          description="Enter or a comma ends one. The list of runs is filtered by them."
          data={known.map(({ name }) => name)}
          value={tags}
          onChange={setTags}
          maxTags={MOST_TAGS}
          splitChars={[',']}
          error={wrong.tags}
          clearable
          clearButtonProps={{ 'aria-label': 'No tags' }}
          // The dialogue begins in this field, and its list would cover the note: it opens by a click, or as one types.
          openOnFocus={false}
          dropdownOpened={listed}
          onDropdownOpen={() => setListed(true)}
          onDropdownClose={() => setListed(false)}
          onClick={() => setListed(true)}
          data-autofocus
        />
        <Textarea
          label="Note"
          description="What there is to say of it. The search finds its words."
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
          maxLength={LONGEST_NOTE}
          error={wrong.note}
          autosize
          minRows={3}
          maxRows={12}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled">
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
