import './batch.css';

import { Button, Paper, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';

import { api, type Schema } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { StateBar } from '../../ui/state-bar';
import { useAddress } from '../../ui/use-address';
import { Waiting } from '../../ui/waiting';
import { Actions } from './actions';
import { AsRun } from './as-run';
import { EveryRun } from './every-run';
import { Facts } from './facts';
import { LiveProgress } from './live-progress';
import { Results } from './results';
import { RunList } from './run-list';
import { TimeLeft } from './time-left';
import { Troubles } from './trouble-list';
import { MOST_RUNS, useRuns } from './use-runs';
import { WaitingWhy } from './waiting-why';
import { useBatchActions } from '../../ui/batch/use-batch-actions';

const TABS = ['results', 'runs', 'experiment'] as const;
type Tab = (typeof TABS)[number];

const ABOVE = [{ label: 'Runs', to: to.batches }];

/** One batch: its progress while it runs, and what it showed. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
  return id === null ? <Missing what={`batch “${text}”`} /> : <Read key={id} id={id} />;
}

function Read({ id }: { readonly id: number }) {
  const navigate = useNavigate();
  const [deleted, setDeleted] = useState(false);
  const batch = api.useQuery(
    'get',
    '/api/v1/batches/{id}',
    { params: { path: { id } } },
    { enabled: !deleted },
  );
  if (batch.error instanceof ApiFailure && batch.error.status === 404)
    return <Missing what={`batch ${id}`} />;
  if (batch.isPending)
    return (
      <Page title={`Batch ${id}`} above={ABOVE}>
        <Waiting what={`batch ${id}`} rows={8} />
      </Page>
    );
  if (batch.data === undefined)
    return (
      <Page title={`Batch ${id}`} above={ABOVE}>
        <Failure
          title="The batch could not be read"
          error={batch.error}
          onRetry={() => void batch.refetch()}
        />
      </Page>
    );
  return (
    <Shown
      batch={batch.data}
      onDeleted={() => {
        setDeleted(true);
        void navigate(to.batches, { replace: true });
      }}
    />
  );
}

interface ShownProps {
  readonly batch: Schema<'BatchTold'>;
  readonly onDeleted: () => void;
}

function Shown({ batch, onDeleted }: ShownProps) {
  const { id } = batch;
  const { params, change } = useAddress();
  const actions = useBatchActions(id);
  const { runs, error, again, howFar } = useRuns(batch);
  const asked = params.get('tab');
  const tab: Tab = TABS.find((one) => one === asked) ?? 'results';
  return (
    <Page
      title={batch.title || batch.experiment}
      above={ABOVE}
      actions={
        <Actions batch={batch} firstRun={runs?.[0]?.id ?? null} actions={actions} onDeleted={onDeleted} />
      }
    >
      <Facts batch={batch} />
      <Paper withBorder p="md" component="section" aria-label="Progress">
        <Stack>
          <StateBar counts={batch.runs} total={batch.total} of={`batch ${id}`} height={14} />
          <TimeLeft batch={batch} />
          <WaitingWhy batch={batch} />
          <Troubles batch={batch} onRetry={actions.retry} busy={actions.busy} />
          {runs !== null ? (
            <>
              <LiveProgress runs={runs} howFar={howFar} />
              <EveryRun runs={runs} batch={batch} />
            </>
          ) : error !== null ? (
            <Failure title="The runs could not be read" error={error} onRetry={again} />
          ) : batch.total === 0 ? (
            <Text c="dimmed">All its runs have been deleted.</Text>
          ) : (
            <TooManyOrSoon batch={batch} />
          )}
        </Stack>
      </Paper>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => change({ tab: next === 'results' ? null : next, after: null }, 'push')}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="results">Results</Tabs.Tab>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="experiment">Files</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="results">
          <Results batch={batch} runs={runs} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <RunList batch={batch} />
        </Tabs.Panel>
        <Tabs.Panel value="experiment">
          <AsRun batch={batch} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function TooManyOrSoon({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  if (batch.total <= MOST_RUNS) return <Skeleton height={80} aria-label="Reading the runs" role="status" />;
  return (
    <Text size="sm" c="dimmed">
      Too many runs to show here; the tab “Runs” lists them all, by state and variant.
    </Text>
  );
}

function Missing({ what }: { readonly what: string }) {
  return (
    <Page title="No such batch" above={ABOVE}>
      <Empty
        title={`There is no ${what}`}
        action={
          <Button component={Link} to={to.batches} mt="sm">
            All batches
          </Button>
        }
      >
        It may have been deleted with all its runs. A run can be imported again from its capsule.
      </Empty>
    </Page>
  );
}
