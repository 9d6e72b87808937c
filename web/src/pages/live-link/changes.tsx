import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { notifyFailure } from '../../ui/notify';
import { clockTime } from '../../ui/time';
import { EMULATOR } from './use-emulator';
import { changeInWords } from './words';

interface Props {
  readonly changes: readonly Schema<'LinkChange'>[];
}

/** What is changed by hand now, and what takes it back. */
export function Changes({ changes }: Props) {
  const queries = useQueryClient();
  const after = {
    onError: (error: unknown) => notifyFailure('The change was not taken back', error),
    onSettled: () => queries.invalidateQueries(api.queryOptions('get', EMULATOR)),
  };
  const one = api.useMutation('delete', `${EMULATOR}/changes/{id}`, after);
  const all = api.useMutation('delete', `${EMULATOR}/changes`, after);
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No changes by hand: the link follows its profile.
      </Text>
    );
  }
  return (
    <>
      <ul className="changes">
        {changes.map((change) => (
          <li key={change.id}>
            <Group justify="space-between" gap="sm">
              <Text size="sm">
                {changeInWords(change)}
                <Text span inherit c="dimmed">
                  {change.until === null ? ', until it is taken back' : <Until at={change.until} />}
                </Text>
              </Text>
              <Button
                size="xs"
                variant="default"
                aria-label={`Take back change ${change.id}`}
                loading={one.isPending && one.variables.params.path.id === change.id}
                onClick={() => {
                  one.mutate({ params: { path: { id: change.id } } });
                }}
              >
                Take back
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      {changes.length > 1 && (
        <Group>
          <Button size="xs" variant="default" loading={all.isPending} onClick={() => all.mutate({})}>
            Take all back
          </Button>
        </Group>
      )}
    </>
  );
}

function Until({ at }: { readonly at: string }) {
  return (
    <>
      , until <time dateTime={at}>{clockTime(new Date(at).getTime())}</time>
    </>
  );
}
