import { Stack, Tabs } from '@mantine/core';

import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { api } from '../../api/client';
import { formatOctets } from '../../lib/format';
import { madeBy } from '../../lib/made-by';
import { Facts } from '../../results/facts';
import { Asked, both } from '../../ui/asked';
import { Notice } from '../../ui/text';
import { Calibrations } from './calibrations';
import { Doctor } from './doctor';
import { Queue } from './queue';

const TABS = [
  { value: 'machine', label: 'This machine' },
  { value: 'queue', label: 'Queue' },
  { value: 'calibration', label: 'Calibration' },
  { value: 'service', label: 'Service' },
] as const;

/** Where runs are made: what works here, what waits, how exact it is, the state of the service. */
export function Component() {
  const { params, change } = useAddress();
  const tab = TABS.find(({ value }) => value === params.get('tab'))?.value ?? 'machine';
  return (
    <Page
      title="Testbeds"
      about="Where runs are made: what works on the machine that serves, what waits, and how exact it is."
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => change({ tab: value === 'machine' ? null : value }, 'push')}
      >
        <Tabs.List aria-label="Parts of this page" mb="md">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="machine">
          <Doctor />
        </Tabs.Panel>
        <Tabs.Panel value="queue">
          <Queue />
        </Tabs.Panel>
        <Tabs.Panel value="calibration">
          <Calibrations />
        </Tabs.Panel>
        <Tabs.Panel value="service">
          <Service />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** How the service is, and which versions answer. */
function Service() {
  const health = api.useQuery('get', '/api/v1/health');
  const version = api.useQuery('get', '/api/v1/version');
  return (
    <Asked
      query={both(health, version)}
      failed="The service could not be asked"
      what="the state of the service"
    >
      {([{ database, scheduler, disk, watchers }, of]) => (
        <Stack>
          {disk.full && (
            <Notice color="red" title="The disk is full">
              No new runs start until there is space: delete batches, or start the service with --quota or
              --retain.
            </Notice>
          )}
          <Facts
            facts={[
              [
                'Database',
                database.works
                  ? 'answers'
                  : `does not answer${database.why === null ? '' : `: ${database.why}`}`,
              ],
              [
                'Scheduler',
                [scheduler.state, scheduler.why, scheduler.note].filter((part) => part !== null).join('; '),
              ],
              ['Free on its disk', formatOctets(disk.free_bytes)],
              ['Pages that watch events', String(watchers)],
              ['Windlull', of.version],
              ['API', of.api],
              ['Engine', madeBy(of.engine)],
            ]}
          />
        </Stack>
      )}
    </Asked>
  );
}
