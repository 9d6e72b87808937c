import { Alert, Progress, Stack, Text } from '@mantine/core';
import { IconClock, IconPlayerPlay } from '@tabler/icons-react';
import { useCallback, useState } from 'react';

import { api, type Schema } from '../../api/client';
import type { Happening } from '../../api/events';
import { useHappenings } from '../../api/provider';
import { formatOctets, plural } from '../../lib/format';
import { sentence } from '../../ui/failure';
import { testbedTitle } from '../../results/model';

type Run = Schema<'RunTold'>;

/** A run that has no result yet: what it waits for, or how far it is. It becomes the result by itself. */
export function Pending({ run }: { readonly run: Run }) {
  return run.state === 'queued' ? <Queued run={run} /> : <Running run={run} />;
}

function Queued({ run }: { readonly run: Run }) {
  const queue = api.useQuery('get', '/api/v1/queue');
  const scheduler = queue.data?.scheduler;
  const of = queue.data?.testbeds.find(({ testbed }) => testbed === run.testbed);
  const stopped = scheduler?.state === 'absent' || scheduler?.state === 'paused';
  return (
    <Alert
      variant="light"
      color={stopped ? 'yellow' : 'gray'}
      icon={<IconClock aria-hidden />}
      title="The run is waiting"
      role="status"
    >
      <Stack gap={4}>
        {run.reason !== null && <Text size="sm">{run.reason}</Text>}
        {stopped && (
          <Text size="sm">
            {scheduler.why ?? 'No scheduler has reported for a while; nothing will run until one does.'}
          </Text>
        )}
        {typeof scheduler?.note === 'string' && <Text size="sm">{sentence(scheduler.note)}</Text>}
        {of !== undefined && (
          <Text size="sm">
            {plural(of.queued, 'run')} {of.queued === 1 ? 'waits' : 'wait'} for the testbed{' '}
            {testbedTitle(run.testbed)}, including this one; {plural(of.running, 'run')} under way.
            {run.testbed !== 'sim' && ' Live runs take place one after another, in real time.'}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

interface Far {
  /** Seconds of the run's own time. */
  readonly seconds: number;
  readonly octets: number;
  readonly of: number;
}

function Running({ run }: { readonly run: Run }) {
  const [far, setFar] = useState<Far | null>(null);
  const { id } = run;
  useHappenings(
    useCallback(
      (happening) => {
        if (happening.run === id) setFar((old) => farOf(happening) ?? old);
      },
      [id],
    ),
  );
  const share = far === null || far.of === 0 ? null : (100 * far.octets) / far.of;
  return (
    <Alert variant="light" icon={<IconPlayerPlay aria-hidden />} title="The run is under way" role="status">
      <Stack gap="xs">
        <Progress
          value={share ?? 100}
          animated={share === null}
          striped={share === null}
          aria-label="Bytes that have arrived"
        />
        <Text size="sm">
          {far === null
            ? run.testbed === 'sim'
              ? 'Simulated runs take a moment.'
              : 'Live runs take place in real time.'
            : `${formatOctets(far.octets)} of ${formatOctets(far.of)} in ${far.seconds.toFixed(0)} s of the run.`}{' '}
          The result will appear here.
        </Text>
      </Stack>
    </Alert>
  );
}

/** How far a run is, as an event says; `null` if it says something else. */
function farOf({ kind, data }: Happening): Far | null {
  const { at_s: seconds, octets, of } = data;
  if (kind !== 'progress' || typeof seconds !== 'number') return null;
  if (typeof octets !== 'number' || typeof of !== 'number') return null;
  return { seconds, octets, of };
}
