import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconBan, IconGitCompare, IconTag, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';

import { client, type Schema } from '../../api/client';
import { makesStale } from '../../api/freshness';
import { plural } from '../../lib/format';
import { ask, askToDelete } from '../../ui/ask';
import { tagsProblem } from '../../ui/batch/labels';
import { LinkButton, SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { useOneByOne } from '../../ui/use-one-by-one';

type Batch = Schema<'BatchView'>;

interface Props {
  readonly batches: readonly Batch[];
  /** Called when something was done to them. */
  readonly onDone: () => void;
}

/** What can be done with the batches that are selected. */
export function Selected({ batches, onDone }: Props) {
  const { each, busy } = useEach(batches, onDone);
  const [tag, setTag] = useState('');
  const under = batches.filter(({ state }) => state !== 'ended');
  // The older one is the baseline, however the list is sorted.
  const [older, newer] = batches.map(({ id }) => id).sort((one, other) => one - other);
  const problem = tag === '' ? null : tagsProblem([tag.trim()]);
  const addTag = (event: SyntheticEvent) => {
    event.preventDefault();
    const name = tag.trim();
    if (name === '' || problem !== null) return;
    setTag('');
    each(batches, `tagged ${name}`, ({ id, tags }) =>
      client.PATCH('/api/v1/batches/{id}', {
        params: { path: { id } },
        body: { tags: [...new Set([...tags, name])] },
      }),
    );
  };
  return (
    <Group gap="xs" role="group" aria-label="Selected batches">
      <Text size="sm" fw={600}>
        {plural(batches.length, 'batch', 'batches')} selected
      </Text>
      <form onSubmit={addTag} noValidate>
        <Group gap={4} align="flex-start">
          <TextInput
            size="xs"
            aria-label="Tag for the selected batches"
            placeholder="A tag"
            value={tag}
            error={problem}
            onChange={({ currentTarget: { value } }) => setTag(value)}
          />
          <Button type="submit" size="xs" leftSection={<IconTag size={14} aria-hidden />} disabled={busy}>
            Add tag
          </Button>
        </Group>
      </form>
      {batches.length === 2 ? (
        <LinkButton size="xs" sign={IconGitCompare} to={to.compareBatches(older, newer)}>
          Compare
        </LinkButton>
      ) : (
        <SignButton size="xs" sign={IconGitCompare} disabled>
          Compare (choose two)
        </SignButton>
      )}
      <SignButton
        size="xs"
        sign={IconBan}
        disabled={under.length === 0 || busy}
        onClick={() =>
          ask({
            title: `Cancel ${plural(under.length, 'batch', 'batches')}?`,
            about: 'Their runs that have not ended are cancelled; those that have keep their results.',
            yes: 'Cancel them',
            no: 'Let them run',
            onYes: () =>
              each(under, 'cancelled', ({ id }) =>
                client.POST('/api/v1/batches/{id}/cancel', { params: { path: { id } } }),
              ),
          })
        }
      >
        Cancel
      </SignButton>
      <SignButton
        size="xs"
        sign={IconTrash}
        disabled={busy}
        onClick={() =>
          askToDelete(
            plural(batches.length, 'batch', 'batches'),
            'Their runs, results, captures and diagrams go with them. This cannot be undone; the same experiments and seeds can be run again.',
            () =>
              each(batches, 'deleted', ({ id }) =>
                client.DELETE('/api/v1/batches/{id}', { params: { path: { id } } }),
              ),
          )
        }
      >
        Delete
      </SignButton>
    </Group>
  );
}

/** Does something to one batch after the other. */
function useEach(all: readonly Batch[], onDone: () => void) {
  const queries = useQueryClient();
  return useOneByOne(
    (count) => plural(count, 'batch', 'batches'),
    async () => {
      // The events say the same a moment later; without a stream of them nobody would.
      await queries.invalidateQueries({
        predicate: ({ queryKey }) =>
          all.some(({ id }) => makesStale({ kind: 'batch', batch: id, run: null, data: {} }, queryKey)),
      });
      onDone();
    },
  );
}
