import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { api, type Schema } from '../../api/client';
import { askToDelete } from '../../ui/ask';
import { SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';

/** What can be done with a search in its state. */
export function Actions({ search: { id, state } }: { readonly search: Schema<'SearchView'> }) {
  const path = { params: { path: { id } } };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const read = () => queries.invalidateQueries({ queryKey: ['get', '/api/v1/searches/{id}', path] });
  const refused = (title: string) => (error: unknown) => notifyFailure(title, error);
  const stop = api.useMutation('post', '/api/v1/searches/{id}/stop', {
    onSuccess: read,
    onError: refused('The search could not be stopped'),
  });
  const resume = api.useMutation('post', '/api/v1/searches/{id}/resume', {
    onSuccess: read,
    onError: refused('The search could not go on'),
  });
  const remove = api.useMutation('delete', '/api/v1/searches/{id}', {
    onSuccess: () => {
      notifyDone(`Search ${id} was deleted`);
      void navigate(to.searches, { replace: true });
    },
    onError: refused('The search could not be deleted'),
  });
  const under = state === 'waiting' || state === 'running';
  return (
    <>
      {under && (
        <SignButton sign={IconPlayerStop} loading={stop.isPending} onClick={() => stop.mutate(path)}>
          Stop
        </SignButton>
      )}
      {(state === 'stopped' || state === 'failed') && (
        <SignButton
          sign={IconPlayerPlay}
          variant="filled"
          loading={resume.isPending}
          onClick={() => resume.mutate(path)}
        >
          Go on
        </SignButton>
      )}
      {state !== 'running' && state !== 'stopping' && (
        <SignButton
          sign={IconTrash}
          onClick={() =>
            askToDelete(`search ${id}`, 'All that it tried and found goes with it.', () =>
              remove.mutate(path),
            )
          }
        >
          Delete
        </SignButton>
      )}
    </>
  );
}
