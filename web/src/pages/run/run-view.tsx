import { Stack } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { useRunSeries } from '../../figures/use-run-series';
import { Later } from '../../ui/later';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { Actions } from './actions';
import { Commands } from './commands';
import { Certificate } from './certificate';
import { ConnectionChooser, connectionIn, RunConnection } from './connections';
import { Downloads } from './downloads';
import { Head } from './head';
import { KeyMetrics } from '../../parts/key-metrics';
import { Pending } from './pending';
import { Result } from './result';
import { Settings } from './settings';
import { Trouble } from './trouble';
import { NOT_KNOWN, useResolved } from '../../parts/use-resolved';
import { titleIn } from '../../results/model';

/** The page of a run in whatever state it is. */
export function RunView({ run }: { readonly run: Schema<'RunTold'> }) {
  const gone = typeof run.result?.evicted_at === 'string';
  const files = run.result !== null && !gone;
  const series = useRunSeries(files ? run.id : null, fetchHere);
  // The diagram is what one comes for: what stands around it is asked for when nothing more of it is awaited.
  const rest = { enabled: !files || series.state !== 'loading' };
  const path = { params: { path: { id: run.batch } } };
  const batch = api.useQuery('get', '/api/v1/batches/{id}', path, rest);
  const resolved = useResolved(run.batch, rest.enabled).data ?? NOT_KNOWN;
  const variant = titleIn(resolved.variants, run.variant);
  const { params, change } = useAddress();
  const connection = connectionIn(params);
  const choose = (number: number | null) => {
    // What the diagram of one shows is not in the other's.
    const view = { t: null, y: null, episode: null, pin: null };
    change({ ...view, connection: number === null ? null : String(number) }, 'push');
  };
  return (
    <Page
      title={`${variant}, repetition ${run.repetition}`}
      above={[
        { label: 'Runs', to: to.batches },
        { label: batch.data?.title ?? `Batch ${run.batch}`, to: to.batch(run.batch) },
      ]}
      actions={<Actions run={run} />}
    >
      <Stack gap="md">
        <Head run={run} resolved={resolved} beside={rest.enabled} />
        <Trouble run={run} limitS={resolved.timeLimitS} />
        {(run.state === 'queued' || run.state === 'running') && <Pending run={run} />}
        {files && rest.enabled && <ConnectionChooser run={run} chosen={connection} onChoose={choose} />}
        {files && connection !== null ? (
          <RunConnection key={connection} run={run} number={connection} />
        ) : (
          <>
            {files && <Result run={run} series={series} variant={variant} batch={batch.data} />}
            {run.result !== null && <KeyMetrics metrics={run.result.metrics} />}
          </>
        )}
        {files && 'packets_down' in (run.result?.metrics ?? {}) && <Commands run={run.id} />}
        <Later>
          {run.result?.certificate && <Certificate certificate={run.result.certificate} />}
          {files && run.testbed !== 'sim' && <Settings run={run.id} />}
          {files && <Downloads run={run} />}
        </Later>
      </Stack>
    </Page>
  );
}

const fetchHere = window.fetch.bind(window);
