import { useParams } from 'react-router';

import { useAllRuns } from '../../api/all-runs';
import { api } from '../../api/client';
import { idIn } from '../../lib/ids';
import { AskedPage, both, Nowhere } from '../../ui/asked';
import { to } from '../../ui/links';
import { Comparison } from './comparison';

const ABOVE = [{ label: 'Runs', to: to.batches }];

/** Two or more variants of a batch beside each other. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = idIn(text);
  return id === null ? <NoSuchBatch id={text} /> : <Batch key={id} id={id} />;
}

function Batch({ id }: { readonly id: number }) {
  const batch = api.useQuery('get', '/api/v1/batches/{id}', { params: { path: { id } } });
  const runs = useAllRuns({ batch: id });
  return (
    <AskedPage
      query={both(batch, runs)}
      failed="The batch could not be read"
      what={`batch ${id}`}
      rows={8}
      title="Comparison"
      above={ABOVE}
      none={<NoSuchBatch id={String(id)} />}
    >
      {([loaded, all]) => <Comparison batch={loaded} runs={all} />}
    </AskedPage>
  );
}

function NoSuchBatch({ id }: { readonly id: string }) {
  return (
    <Nowhere
      title="No such batch"
      above={ABOVE}
      heading={`There is no batch ${id}`}
      go={['To all runs', to.batches]}
    >
      It was deleted, or the address was mistyped.
    </Nowhere>
  );
}
