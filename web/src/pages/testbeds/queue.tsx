import { Alert, Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { Empty } from '../../ui/empty';
import { Failure } from '../../ui/failure';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Section } from '../../ui/section';
import { StateBar } from '../../ui/state-bar';
import { Waiting } from '../../ui/waiting';
import { WideTable } from '../../ui/wide-table';
import { Heads, numeric } from '../../ui/heads';

/** How many of the newest batches are looked through for those under way. */
const LOOKED_THROUGH = 100;

/** What waits, what runs, who does the work, and why nothing does. */
export function Queue() {
  const { data, error, refetch } = api.useQuery('get', '/api/v1/queue');
  if (error !== null) {
    return <Failure title="The queue could not be read" error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Waiting what="the queue" rows={6} />;
  const { scheduler, seen_at, testbeds, workers } = data;
  return (
    <Stack gap="lg">
      {(scheduler.state === 'paused' || scheduler.state === 'absent') && (
        <Alert
          color="yellow"
          variant="light"
          title={scheduler.state === 'paused' ? 'No new runs are started' : 'No scheduler is running'}
        >
          <Text size="sm" c="var(--mantine-color-text)">
            {scheduler.why ?? 'No scheduler has reported for a while. Queued runs wait; nothing is lost.'}
          </Text>
        </Alert>
      )}
      <Text size="sm" role="status">
        {testbeds.length === 0
          ? 'No runs are waiting or under way.'
          : testbeds
              .map(
                ({ testbed, queued, running }) =>
                  `${testbed}: ${plural(queued, 'run')} queued, ${running} handed to workers`,
              )
              .join('; ')}{' '}
        <Text span size="sm" c="dimmed">
          The scheduler is {scheduler.state}
          {scheduler.note !== null && `: ${scheduler.note}`}
          {seen_at !== null && (
            <>
              ; it reported this <Moment at={seen_at} />
            </>
          )}
          .
        </Text>
      </Text>
      <Section title="Batches under way">
        <UnderWay />
      </Section>
      <Section title="Workers">
        <Workers workers={workers} />
      </Section>
    </Stack>
  );
}

function UnderWay() {
  const { data, error } = api.useQuery('get', '/api/v1/batches', {
    params: { query: { limit: LOOKED_THROUGH } },
  });
  if (error !== null) return <Failure title="The batches could not be read" error={error} />;
  if (!data) return <Waiting what="the batches" rows={2} />;
  const open = data.items.filter(({ state }) => state !== 'ended');
  if (open.length === 0) {
    return (
      <Empty
        title="Nothing is queued"
        action={
          <Button component={Link} to={to.newExperiment} variant="default" mt="sm">
            New experiment
          </Button>
        }
      >
        Batches are listed here until their last run has ended.
      </Empty>
    );
  }
  return (
    <ul className="things">
      {open.map((batch) => (
        <li key={batch.id}>
          <Waits batch={batch} />
        </li>
      ))}
    </ul>
  );
}

function Waits({ batch }: { readonly batch: Schema<'BatchTold'> }) {
  const { cancel, busy } = useBatchActions(batch.id);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={4} style={{ flex: '1 1 18rem' }}>
        <Text size="sm">
          <Anchor component={Link} to={to.batch(batch.id)} inherit underline="always">
            batch {batch.id}
          </Anchor>{' '}
          {batch.title}{' '}
          <Text span size="sm" c="dimmed">
            {batch.testbed}, priority {batch.priority}
          </Text>
        </Text>
        <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} />
      </Stack>
      <Button
        variant="default"
        size="xs"
        loading={busy}
        aria-label={`Cancel batch ${batch.id}`}
        onClick={() => askToCancelBatch(batch, cancel)}
      >
        Cancel
      </Button>
    </Group>
  );
}

function Workers({ workers }: { readonly workers: readonly Schema<'WorkerTold'>[] }) {
  if (workers.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        There are no workers. The service starts its own; others join with “windlull worker ADDRESS”.
      </Text>
    );
  }
  return (
    <WideTable label="Workers" minWidth={680}>
      <Table aria-label="Workers" verticalSpacing={6}>
        <Heads of={['Address', 'Machine', 'Takes', 'Engine', numeric('Runs'), 'Is']} />
        <Table.Tbody>
          {workers.map((worker) => (
            <Table.Tr key={worker.address}>
              <Table.Th scope="row" fw={400}>
                {worker.address}
              </Table.Th>
              <Table.Td>{worker.host}</Table.Td>
              <Table.Td>{worker.testbeds.join(', ')}</Table.Td>
              <Table.Td>{worker.engine}</Table.Td>
              <Table.Td className="numeric">{worker.runs}</Table.Td>
              <Table.Td>{worker.refused ?? worker.busy_with ?? 'free'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
