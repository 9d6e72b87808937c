import { Stack } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { Later } from '../../ui/later';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { Actions } from './actions';
import { Certificate } from './certificate';
import { Downloads } from './downloads';
import { Head } from './head';
import { KeyMetrics } from './key-metrics';
import { Pending } from './pending';
import { Result } from './result';
import { Settings } from './settings';
import { Trouble } from './trouble';
import { variantTitle, type Resolved } from './titles';

/** The page of a run in whatever state it is. */
export function Told({ run }: { readonly run: Schema<'RunTold'> }) {
  const path = { params: { path: { id: run.batch } } };
  const batch = api.useQuery('get', '/api/v1/batches/{id}', path);
  const resolved = api.useQuery('get', '/api/v1/batches/{id}/experiment', path).data as Resolved | undefined;
  const variant = variantTitle(resolved, run.variant);
  const gone = typeof run.result?.evicted_at === 'string';
  const files = run.result !== null && !gone;
  return (
    <Page
      title={`${variant}, repetition ${run.repetition}`}
      above={[
        { label: 'Runs', to: to.batches },
        { label: batch.data?.title ?? `Batch ${run.batch}`, to: to.batch(run.batch) },
      ]}
      actions={<Actions run={run} />}
    >
      <Stack gap="lg">
        <Head run={run} resolved={resolved} />
        <Trouble run={run} />
        {(run.state === 'queued' || run.state === 'running') && <Pending run={run} />}
        {run.result !== null && <KeyMetrics metrics={run.result.metrics} />}
        {files && <Result run={run} variant={variant} batch={batch.data} />}
        <Later>
          {run.result?.certificate && <Certificate certificate={run.result.certificate} />}
          {files && run.testbed !== 'sim' && <Settings run={run.id} />}
          {files && <Downloads run={run} />}
        </Later>
      </Stack>
    </Page>
  );
}
