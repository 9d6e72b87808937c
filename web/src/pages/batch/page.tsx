import { Group, Paper, Progress, Skeleton, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { IconClock } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { AskedPage, Failure, Nowhere, Waiting } from '../../ui/asked';
import { to } from '../../ui/links';
import { Muted, Notice } from '../../ui/text';
import { Page } from '../../ui/page';
import { StateBar } from '../../ui/state-bar';
import { useAddress } from '../../ui/use-address';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { formatOctets, plural } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import { BatchTags } from '../../ui/batch/batch-facts';
import { TextLink } from '../../ui/buttons';
import { Moment } from '../../ui/moment';
import { BatchBadge } from '../../ui/batch-badge';
import { leftInWords, msLeft, type Seen, withSeen } from '../../lib/time-left';
import { countOf } from '../../ui/states';
import type { HowFar } from '../../api/events';
import { idIn } from '../../lib/ids';
import { Heads, Row } from '../../ui/table';
import { Actions } from './actions';
import { AsRun } from './as-run';
import { EveryRun } from './every-run';
import { ExperimentName } from './experiment-name';
import { MadeBySchedule } from './made-by-schedule';
import { Results } from './results';
import { RunList } from './run-list';
import { RunTable } from './run-table';
import { Troubles } from './trouble-list';
import { MOST_RUNS, useRuns } from './use-runs';
import { whyWaiting } from './why-waiting';
import './batch.css';

const TABS = ['results', 'runs', 'experiment'] as const;
type Tab = (typeof TABS)[number];

const ABOVE = [{ label: 'Runs', to: to.batches }];

/** One batch: its progress while it runs, and what it showed. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = idIn(text);
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
  return (
    <AskedPage
      query={batch}
      title={`Batch ${id}`}
      above={ABOVE}
      failed="The batch could not be read"
      what={`batch ${id}`}
      rows={8}
      none={<Missing what={`batch ${id}`} />}
    >
      {(loaded) => (
        <Shown
          batch={loaded}
          onDeleted={() => {
            setDeleted(true);
            void navigate(to.batches, { replace: true });
          }}
        />
      )}
    </AskedPage>
  );
}

interface ShownProps {
  readonly batch: Schema<'BatchView'>;
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
      <MadeBySchedule id={id} />
      {batch.note !== '' && (
        <Text
          size="sm"
          maw="90ch"
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          aria-label="Note"
          role="note"
        >
          {batch.note}
        </Text>
      )}
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
          {batch.total > MOST_RUNS ? (
            <RunList batch={batch} />
          ) : runs === null ? (
            <Waiting what="the runs" rows={8} />
          ) : (
            <RunTable batch={batch} runs={runs} onChanged={again} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="experiment">
          <AsRun batch={batch} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function TooManyOrSoon({ batch }: { readonly batch: Schema<'BatchView'> }) {
  if (batch.total <= MOST_RUNS) return <Skeleton height={80} aria-label="Reading the runs" role="status" />;
  return <Muted>Too many runs to show here; the tab “Runs” lists them all, by state and variant.</Muted>;
}

function Missing({ what }: { readonly what: string }) {
  return (
    <Nowhere
      title="No such batch"
      above={ABOVE}
      heading={`There is no ${what}`}
      go={['All batches', to.batches]}
    >
      It may have been deleted with all its runs. A run can be imported again from its capsule.
    </Nowhere>
  );
}

/** What a batch is: experiment, seed, engine, when. */
function Facts({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const { id, repetitions, seed, engine, created_at: made, known_before: known } = batch;
  return (
    <Group gap="xs">
      <BatchBadge batch={batch} />
      <BatchTags batch={batch} />
      <Text size="sm">
        Batch {id} of <ExperimentName batch={batch} />, {plural(repetitions, 'repetition')}, seed{' '}
        <code>{seed}</code>, {madeBy(engine)}, <Moment at={made} />
        {batch.priority !== 0 && `, priority ${batch.priority}`}
        {known > 0 && `; ${known} of ${plural(batch.total, 'run')} had results already and were not repeated`}
      </Text>
    </Group>
  );
}

/** How long the rest of a batch takes, from the pace at which its runs ended while the page was open. */
function TimeLeft({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const ended = batch.total - countOf(batch.runs, ['queued', 'running']);
  const [seen, setSeen] = useState<readonly Seen[]>([]);
  useEffect(() => {
    setSeen((before) => withSeen(before, Date.now(), ended));
  }, [ended]);
  const left = msLeft(seen, batch.total);
  if (batch.state === 'ended' || left === null) return null;
  return (
    <Text size="sm" className="time-left">
      At the pace of the last minute, {leftInWords(left)}.
    </Text>
  );
}

/** What of a batch waits, and what it waits for. */
function WaitingWhy({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const queued = batch.runs['queued'] ?? 0;
  const queue = api.useQuery('get', '/api/v1/queue', {}, { enabled: queued > 0 });
  if (queued === 0 || !queue.data) return null;
  const { why, stuck } = whyWaiting(batch, queue.data);
  return (
    <Notice
      color={stuck ? 'yellow' : 'gray'}
      sign={IconClock}
      title={plural(queued, 'run waits', 'runs wait')}
    >
      {why}{' '}
      <TextLink to={to.testbeds} underline="always">
        Queue and testbeds
      </TextLink>
    </Notice>
  );
}

interface Props {
  readonly runs: readonly Schema<'RunLine'>[];
  readonly howFar: ReadonlyMap<number, HowFar>;
}

/** How far each live run under way is. Simulated ones are over before anybody could look. */
function LiveProgress({ runs, howFar }: Props) {
  const live = runs.filter(({ state, testbed }) => state === 'running' && testbed !== 'sim');
  if (live.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="live" gap="xs">
      <Title order={2} size="h5" id="live">
        Running now
      </Title>
      <Table aria-labelledby="live" layout="fixed">
        <Heads of={['Run', { children: 'Arrived', w: '55%' }]} />
        <Table.Tbody>
          {live.map((run) => (
            <Row
              key={run.id}
              head={
                <TextLink to={to.run(run.id)}>
                  {run.variant}, repetition {run.repetition}
                </TextLink>
              }
              cells={[<Far far={howFar.get(run.id)} of={`run ${run.id}`} />]}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Far({ far, of }: { readonly far: HowFar | undefined; readonly of: string }) {
  if (!far) return <>started; no progress reported yet</>;
  const words = `${formatOctets(far.octets)} of ${formatOctets(far.of)} after ${far.atS.toFixed(1)} s`;
  return (
    <>
      <Progress.Root mb={4}>
        <Progress.Section
          value={far.of > 0 ? (100 * far.octets) / far.of : 0}
          aria-label={`Progress of ${of}`}
          aria-valuetext={words}
        />
      </Progress.Root>
      {words}
    </>
  );
}
