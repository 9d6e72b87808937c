import { client, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { RETRIED } from '../../ui/states';
import { useOneByOne } from '../../ui/use-one-by-one';

type RunLine = Schema<'RunLine'>;

/** What can be done to several runs at once. What does not apply to a run passes over it. */
export interface RunActions {
  readonly cancel: (runs: readonly RunLine[]) => void;
  readonly retry: (runs: readonly RunLine[]) => void;
  readonly remove: (runs: readonly RunLine[]) => void;
  readonly busy: boolean;
}

/** Runs that can still be cancelled. */
export const underWay = ({ state }: RunLine) => state === 'queued' || state === 'running';
/** Runs that can be queued again. */
export const retriable = ({ state }: RunLine) => RETRIED.includes(state);

/** The actions; `onDone` is called when one of them has come to its end, also to a bad one. */
export function useRunActions(onDone: () => void): RunActions {
  const { each, busy } = useOneByOne((count) => plural(count, 'run'), onDone);
  const path = (id: number) => ({ params: { path: { id } } });
  return {
    cancel: (runs) =>
      each(runs.filter(underWay), 'cancelled', ({ id }) => client.POST('/api/v1/runs/{id}/cancel', path(id))),
    retry: (runs) =>
      each(runs.filter(retriable), 'queued again', ({ id }) =>
        client.POST('/api/v1/runs/{id}/retry', path(id)),
      ),
    remove: (runs) => each(runs, 'deleted', ({ id }) => client.DELETE('/api/v1/runs/{id}', path(id))),
    busy,
  };
}
