import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { askToDelete } from '../../ui/ask';
import { SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { ScheduleDialog } from '../schedules/form';

/** What can be done with a schedule. */
export function Actions({ schedule }: { readonly schedule: Schema<'ScheduleView'> }) {
  const { id, name, paused } = schedule;
  const path = { params: { path: { id } } };
  const [editing, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const keys = useCreationKeys();
  const read = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/api/v1/schedules'),
    });
  const refused = (title: string) => (error: unknown) => notifyFailure(title, error);
  const start = api.useMutation('post', '/api/v1/schedules/{id}/trigger', {
    onSuccess: () => {
      keys.done({});
      return read();
    },
    onError: refused('The schedule could not be started'),
  });
  const change = api.useMutation('patch', '/api/v1/schedules/{id}', {
    onSuccess: read,
    onError: refused('The schedule could not be changed'),
  });
  const remove = api.useMutation('delete', '/api/v1/schedules/{id}', {
    onSuccess: () => {
      notifyDone(`Schedule ${name} was deleted`);
      void navigate(to.schedules, { replace: true });
    },
    onError: refused('The schedule could not be deleted'),
  });
  return (
    <>
      <SignButton
        sign={IconPlayerPlay}
        variant="filled"
        loading={start.isPending}
        onClick={() =>
          start.mutate({
            body: {},
            params: { path: { id }, header: { 'Idempotency-Key': keys.keyOf({}) } },
          })
        }
      >
        Run now
      </SignButton>
      <SignButton sign={IconPencil} onClick={open}>
        Edit
      </SignButton>
      <SignButton
        sign={paused ? IconPlayerPlay : IconPlayerPause}
        loading={change.isPending}
        onClick={() => change.mutate({ ...path, body: { paused: !paused } })}
      >
        {paused ? 'Resume' : 'Pause'}
      </SignButton>
      <SignButton
        sign={IconTrash}
        onClick={() =>
          askToDelete(`schedule ${name}`, 'Its verdicts and notices go with it; its batches stay.', () =>
            remove.mutate(path),
          )
        }
      >
        Delete
      </SignButton>
      <ScheduleDialog
        opened={editing}
        onClose={close}
        before={schedule}
        onDone={() => {
          close();
          void read();
        }}
      />
    </>
  );
}
