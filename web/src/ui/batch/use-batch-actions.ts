import { useQueryClient } from '@tanstack/react-query';

import { api, type Schema } from '../../api/client';
import { makesStale } from '../../api/freshness';
import { plural } from '../../lib/format';
import { notifyDone, notifyFailure } from '../notify';

type Changes = Schema<'ChangesGiven'>;

/** What can be done to a batch that exists. Failures are told as notifications, and leave everything as it was. */
export interface BatchActions {
  readonly cancel: () => void;
  /** Queues again what failed, is invalid or was cancelled. */
  readonly retry: () => void;
  readonly change: (changes: Changes) => void;
  /** `gone` is called when it is deleted. */
  readonly remove: (gone?: () => void) => void;
  readonly busy: boolean;
}

/** The actions of batch `id`. */
export function useBatchActions(id: number): BatchActions {
  const queries = useQueryClient();
  // The events say the same a moment later; without a stream of them nobody would.
  const readAnew = () =>
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => makesStale({ kind: 'batch', batch: id, run: null, data: {} }, queryKey),
    });
  const params = { params: { path: { id } } };
  const cancel = api.useMutation('post', '/api/v1/batches/{id}/cancel', {
    onSuccess: ({ cancelled }) => {
      notifyDone(
        `Batch ${id}: ${plural(cancelled, 'run')} cancelled`,
        'Runs that had ended keep their results.',
      );
      readAnew();
    },
    onError: (error) => notifyFailure(`Batch ${id} could not be cancelled`, error),
  });
  const retry = api.useMutation('post', '/api/v1/batches/{id}/retry', {
    onSuccess: ({ queued }) => {
      notifyDone(`Batch ${id}: ${plural(queued, 'run')} queued again`);
      readAnew();
    },
    onError: (error) => notifyFailure(`The runs of batch ${id} could not be queued again`, error),
  });
  const change = api.useMutation('patch', '/api/v1/batches/{id}', {
    onSuccess: readAnew,
    onError: (error) => notifyFailure(`Batch ${id} could not be changed`, error),
  });
  const remove = api.useMutation('delete', '/api/v1/batches/{id}', {
    onError: (error) => notifyFailure(`Batch ${id} could not be deleted`, error),
  });
  return {
    cancel: () => cancel.mutate(params),
    retry: () => retry.mutate(params),
    change: (changes) => change.mutate({ ...params, body: changes }),
    remove: (gone) => {
      remove.mutate(params, {
        onSuccess: () => {
          notifyDone(`Batch ${id} is deleted`);
          gone?.();
          readAnew();
        },
      });
    },
    busy: cancel.isPending || retry.isPending || change.isPending || remove.isPending,
  };
}
