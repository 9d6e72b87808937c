import { Progress, Stack, Text } from '@mantine/core';
import { IconClock, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';

import { api, type Schema } from '../../api/client';
import { type HowFar, howFar } from '../../api/events';
import { useHappenings } from '../../api/provider';
import { formatOctets, plural } from '../../lib/format';
import { sentence } from '../../ui/asked';
import { testbedTitle } from '../../results/model';
import { Notice } from '../../ui/text';

type Run = Schema<'RunView'>;

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
    <Notice color={stopped ? 'yellow' : 'gray'} sign={IconClock} title="The run is waiting" role="status">
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
    </Notice>
  );
}

function Running({ run }: { readonly run: Run }) {
  const [far, setFar] = useState<HowFar | null>(null);
  useHappenings((happening) => {
    if (happening.run === run.id) setFar((old) => howFar(happening) ?? old);
  });
  const share = far === null || far.of === 0 ? null : (100 * far.octets) / far.of;
  return (
    <Notice sign={IconPlayerPlay} title="The run is under way" role="status">
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
            : `${formatOctets(far.octets)} of ${formatOctets(far.of)} in ${far.atS.toFixed(0)} s of the run.`}{' '}
          The result will appear here.
        </Text>
      </Stack>
    </Notice>
  );
}
