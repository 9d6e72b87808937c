import { Button, Group, Stack, Text } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { plural } from '../../lib/format';
import { Asked, Empty } from '../../ui/asked';
import { askToCancelBatch } from '../../ui/batch/ask-to-cancel-batch';
import { useBatchActions } from '../../ui/batch/use-batch-actions';
import { LinkButton, TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { Moment } from '../../ui/moment';
import { Muted, Notice } from '../../ui/text';
import { Section } from '../../ui/page';
import { StateBar } from '../../ui/state-bar';
import { Row, WideTable, numeric } from '../../ui/table';

/** How many of the newest batches are looked through for those under way. */
const LOOKED_THROUGH = 100;

/** What waits, what runs, who does the work, and why nothing does. */
export function Queue() {
  return (
    <Asked
      query={api.useQuery('get', '/api/v1/queue')}
      failed="The queue could not be read"
      what="the queue"
      rows={6}
    >
      {(queue) => <QueueState queue={queue} />}
    </Asked>
  );
}

function QueueState({ queue }: { readonly queue: Schema<'QueueView'> }) {
  const { scheduler, seen_at, testbeds, workers } = queue;
  return (
    <Stack gap="lg">
      {(scheduler.state === 'paused' || scheduler.state === 'absent') && (
        <Notice
          color="yellow"
          title={scheduler.state === 'paused' ? 'No new runs are started' : 'No scheduler is running'}
        >
          {scheduler.why ?? 'No scheduler has reported for a while. Queued runs wait; nothing is lost.'}
        </Notice>
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
        <Muted span>
          The scheduler is {scheduler.state}
          {scheduler.note !== null && `: ${scheduler.note}`}
          {seen_at !== null && (
            <>
              ; it reported this <Moment at={seen_at} />
            </>
          )}
          .
        </Muted>
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
  const batches = api.useQuery('get', '/api/v1/batches', { params: { query: { limit: LOOKED_THROUGH } } });
  return (
    <Asked query={batches} failed="The batches could not be read" what="the batches" rows={2}>
      {({ items }) => {
        const open = items.filter(({ state }) => state !== 'ended');
        if (open.length === 0)
          return (
            <Empty
              title="Nothing is queued"
              action={
                <LinkButton to={to.newExperiment} mt="sm">
                  New experiment
                </LinkButton>
              }
            >
              Batches are listed here until their last run has ended.
            </Empty>
          );
        return (
          <ul className="lines">
            {open.map((batch) => (
              <li key={batch.id}>
                <Waits batch={batch} />
              </li>
            ))}
          </ul>
        );
      }}
    </Asked>
  );
}

function Waits({ batch }: { readonly batch: Schema<'BatchView'> }) {
  const { cancel, busy } = useBatchActions(batch.id);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={4} style={{ flex: '1 1 18rem' }}>
        <Text size="sm">
          <TextLink to={to.batch(batch.id)} underline="always">
            batch {batch.id}
          </TextLink>{' '}
          {batch.title}{' '}
          <Muted span>
            {batch.testbed}, priority {batch.priority}
          </Muted>
        </Text>
        <StateBar counts={batch.runs} total={batch.total} of={`batch ${batch.id}`} />
      </Stack>
      <Button
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

function Workers({ workers }: { readonly workers: readonly Schema<'WorkerStatus'>[] }) {
  if (workers.length === 0) {
    return (
      <Muted>
        There are no workers. The service starts its own; others join with “windlull worker ADDRESS”.
      </Muted>
    );
  }
  return (
    <WideTable
      label="Workers"
      minWidth={680}
      verticalSpacing={6}
      heads={['Address', 'Machine', 'Takes', 'Engine', numeric('Runs'), 'Is']}
    >
      {workers.map((worker) => (
        <Row
          key={worker.address}
          head={worker.address}
          cells={[
            worker.host,
            worker.testbeds.join(', '),
            worker.engine,
            numeric(worker.runs),
            worker.refused ?? worker.busy_with ?? 'free',
          ]}
        />
      ))}
    </WideTable>
  );
}
