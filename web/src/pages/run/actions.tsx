import { Button, Menu } from '@mantine/core';
import {
  IconArrowsSplit2,
  IconDots,
  IconPlayerStop,
  IconRefresh,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';

import { api, client, type Schema } from '../../api/client';
import { askToDelete } from '../../ui/ask';
import { SignButton } from '../../ui/buttons';
import { to } from '../../ui/links';
import { notifyDone, notifyFailure } from '../../ui/notify';
import { Replay } from './replay';

type Run = Schema<'RunView'>;

const ABOUT_DELETION =
  'Its result is deleted too, unless another run has the same one. This cannot be undone.';

/** What can be done with a run in its state. */
export function Actions({ run }: { readonly run: Run }) {
  const { state } = run;
  const path = { params: { path: { id: run.id } } };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const read = () => queries.invalidateQueries({ queryKey: ['get', '/api/v1/runs/{id}', path] });
  const rerun = api.useMutation('post', '/api/v1/runs/{id}/rerun', {
    onSuccess: async (batch) => {
      const { data } = await client.GET('/api/v1/runs', { params: { query: { batch: batch.id, limit: 1 } } });
      const made = data?.items.at(0);
      notifyDone(`Run ${run.id} is queued again, in batch ${batch.id}`);
      void navigate(made === undefined ? to.batch(batch.id) : to.run(made.id));
    },
    onError: refused('The run could not be repeated'),
  });
  const retry = api.useMutation('post', '/api/v1/runs/{id}/retry', {
    onSuccess: read,
    onError: refused('The run could not be queued again'),
  });
  const cancel = api.useMutation('post', '/api/v1/runs/{id}/cancel', {
    onSuccess: read,
    onError: refused('The run could not be cancelled'),
  });
  const remove = api.useMutation('delete', '/api/v1/runs/{id}', {
    onSuccess: () => {
      notifyDone(`Run ${run.id} was deleted`);
      void navigate(to.batch(run.batch), { replace: true });
    },
    onError: refused('The run could not be deleted'),
  });
  const pending = state === 'queued' || state === 'running';
  const retriable = state === 'failed' || state === 'cancelled' || state === 'invalid';
  return (
    <>
      {retriable && (
        <SignButton
          sign={IconRefresh}
          loading={retry.isPending}
          onClick={() => retry.mutate(path)}
          variant="filled"
        >
          Try again
        </SignButton>
      )}
      {pending && (
        <SignButton sign={IconPlayerStop} loading={cancel.isPending} onClick={() => cancel.mutate(path)}>
          Cancel
        </SignButton>
      )}
      {!pending && (
        <SignButton
          sign={IconRepeat}
          loading={rerun.isPending}
          title="A new batch with only this run, from the same files, with this service’s engine"
          onClick={() => rerun.mutate(path)}
        >
          Run it again
        </SignButton>
      )}
      <Replay run={run} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button px="xs" aria-label="More actions">
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {run.result !== null && (
            <Menu.Item
              component={Link}
              to={to.difference(run.id)}
              leftSection={<IconArrowsSplit2 size={16} aria-hidden />}
            >
              Where it parts from another run …
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => {
              askToDelete(`run ${run.id}`, ABOUT_DELETION, () => remove.mutate(path));
            }}
          >
            Delete this run …
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Says what was refused, and why. */
function refused(title: string): (error: unknown) => void {
  return (error) => notifyFailure(title, error);
}
