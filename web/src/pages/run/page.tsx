import { useParams } from 'react-router';

import { api } from '../../api/client';
import { idIn } from '../../lib/ids';
import { AskedPage, Nowhere } from '../../ui/asked';
import { to } from '../../ui/links';
import { RunView } from './run-view';

/** A run: what was done, what it measured, and its diagram with the story of each trouble. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = idIn(text);
  return id === null ? <NoSuchRun id={text} /> : <Run key={id} id={id} />;
}

function Run({ id }: { readonly id: number }) {
  return (
    <AskedPage
      query={api.useQuery('get', '/api/v1/runs/{id}', { params: { path: { id } } })}
      title={`Run ${id}`}
      above={ABOVE}
      failed="The run could not be read"
      what={`run ${id}`}
      rows={8}
      none={<NoSuchRun id={String(id)} />}
    >
      {(run) => <RunView run={run} />}
    </AskedPage>
  );
}

const ABOVE = [{ label: 'Runs', to: to.batches }];

function NoSuchRun({ id }: { readonly id: string }) {
  return (
    <Nowhere
      title="No such run"
      above={ABOVE}
      heading={`There is no run ${id}`}
      go={['To all runs', to.batches]}
    >
      It was deleted with its batch, or the address was mistyped.
    </Nowhere>
  );
}
