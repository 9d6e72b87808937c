import { Tabs } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';

import { to } from '../../ui/links';
import { Page } from '../../ui/page';
import { useAddress } from '../../ui/use-address';
import { useUnsaved } from '../../ui/use-unsaved';
import { TraceForm } from './import/form';
import { RecordingForm } from './recording/form';

const TRACE = 'trace';
const RECORDING = 'recording';

/** Makes a link of what was measured; `of` in the address says of what. Both forms keep what they were given. */
export function Component() {
  const { params, change } = useAddress();
  const of = params.get('of') === TRACE ? TRACE : RECORDING;
  const [recording, setRecording] = useState(false);
  const [trace, setTrace] = useState(false);
  const [saved, setSaved] = useState<string | null>(null);
  // Before the effect that leaves the page: what is saved does not hold anybody.
  useUnsaved(saved === null && (recording || trace), 'what you imported');
  const navigate = useNavigate();
  useEffect(() => {
    if (saved !== null) void navigate(to.document('link', saved), { replace: true });
  }, [saved, navigate]);
  return (
    <Page
      title="Import a link"
      above={[{ label: 'Links', to: to.documents('link') }]}
      about={
        of === RECORDING
          ? 'A drive test’s table, traces of Mahimahi, LeoReplayer and CellReplay, LENS, ERRANT, iBox, or what ping, irtt or iperf3 -J said becomes a link.'
          : 'Measured delays, a Mahimahi trace or a rate over time become a link with any queue. Files are read here, in the browser; what is saved is a link like any other.'
      }
    >
      <Tabs value={of} onChange={(value) => change({ of: value === TRACE ? TRACE : null }, 'push')}>
        <Tabs.List aria-label="What is imported" mb="md">
          <Tabs.Tab value={RECORDING}>A recording</Tabs.Tab>
          <Tabs.Tab value={TRACE}>Delays or a trace</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={RECORDING}>
          <RecordingForm onUnsaved={setRecording} onSaved={setSaved} />
        </Tabs.Panel>
        <Tabs.Panel value={TRACE}>
          <TraceForm onUnsaved={setTrace} onSaved={setSaved} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
