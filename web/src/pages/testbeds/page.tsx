import { Tabs } from '@mantine/core';

import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { Calibrations } from './calibrations';
import { Doctor } from './doctor';
import { Queue } from './queue';
import { Service } from './service';
import './testbeds.css';

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
