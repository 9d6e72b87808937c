import { Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useState } from 'react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { Asked, Empty, Failure } from '../../ui/asked';
import { Busy, Muted, Wrong } from '../../ui/text';
import { SignButton } from '../../ui/buttons';
import { Moment } from '../../ui/moment';
import { Section } from '../../ui/page';
import { CalibrationResult } from './calibration-result';

type Told = Schema<'CalibrationTold'>;
type Pace = Told['pace'];

const PATH = '/api/v1/calibrations';
const SHOWN = 20;

/** How exact the live testbed is here, measured: started, watched, compared with earlier ones. */
export function Calibrations() {
  const told = api.useQuery('get', PATH, { params: { query: { limit: SHOWN } } });
  return (
    <Asked query={told} failed="The calibrations could not be read" what="the calibrations" rows={6}>
      {({ items }) => <All items={items} onStarted={() => void told.refetch()} />}
    </Asked>
  );
}

function All({ items, onStarted }: { readonly items: readonly Told[]; readonly onStarted: () => void }) {
  const newest = items.at(0);
  const earlier = items.slice(1);
  const open = items.find(({ state }) => state === 'waiting' || state === 'running');
  return (
    <Stack gap="lg">
      <Start open={open ?? null} onStarted={onStarted} />
      {newest === undefined ? (
        <Empty title="Nothing has been measured here yet">
          A calibration measures how late packets leave the link, up to which rate, and how fast a transfer
          the machine can carry.
        </Empty>
      ) : (
        <Section title={open ? 'Under way' : 'The newest'}>
          <One told={newest} />
        </Section>
      )}
      {earlier.length > 0 && (
        <Section title="Earlier ones">
          {earlier.map((told) => (
            <details key={told.id}>
              <summary>
                {`Calibration ${told.id}, ${told.pace}${told.thorough ? ', thorough' : ''}: ${told.state}, `}
                <Moment at={told.asked_at} />
              </summary>
              <One told={told} />
            </details>
          ))}
        </Section>
      )}
    </Stack>
  );
}

function Start({ open, onStarted }: { readonly open: Told | null; readonly onStarted: () => void }) {
  const keys = useCreationKeys();
  const [pace, setPace] = useState<Pace>('precise');
  const [thorough, setThorough] = useState(false);
  const create = api.useMutation('post', PATH);
  const start = () => {
    const body = { pace, thorough };
    create.mutate(
      { body, params: { header: { 'Idempotency-Key': keys.keyOf(body) } } },
      {
        onSuccess: () => {
          keys.done(body);
          onStarted();
        },
      },
    );
  };
  return (
    <Stack gap="sm">
      <Text size="sm" maw="80ch">
        It measures the live testbed on this machine’s own kernel, in real time, and needs the machine to
        itself: runs under way end first, and no others start meanwhile. About a minute; thorough, a few.
      </Text>
      <Radio.Group
        label="How the link waits for the next packet’s time"
        value={pace}
        onChange={(value) => setPace(value === 'frugal' ? 'frugal' : 'precise')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="precise" label="precise: polls the clock just before the time" />
          <Radio value="frugal" label="frugal: by timers alone, so that many runs fit side by side" />
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Thorough: measure for longer"
        checked={thorough}
        onChange={(event) => setThorough(event.currentTarget.checked)}
      />
      {create.error !== null && <Failure title="The calibration was not started" error={create.error} />}
      <Group>
        <SignButton
          sign={IconGauge}
          loading={create.isPending}
          disabled={open !== null}
          onClick={start}
          variant="filled"
        >
          Calibrate
        </SignButton>
        {open !== null && <Muted>One is under way; the next can be started when it has ended.</Muted>}
      </Group>
    </Stack>
  );
}

function One({ told }: { readonly told: Told }) {
  return (
    <Stack gap="sm">
      <Muted>
        {`Calibration ${told.id}, ${told.pace}${told.thorough ? ', thorough' : ''}, asked for `}
        <Moment at={told.asked_at} />
      </Muted>
      <div role="status" aria-live="polite">
        {told.state === 'waiting' && (
          <Busy>Waiting for the runs under way to end; no others start meanwhile.</Busy>
        )}
        {told.state === 'running' && (
          <Busy>
            It is measuring
            {told.started_at !== null && (
              <>
                ; it began <Moment at={told.started_at} />
              </>
            )}
            .
          </Busy>
        )}
        {told.state === 'failed' && <Wrong>It failed: {told.reason ?? 'no reason was given'}</Wrong>}
      </div>
      {told.result !== null && <CalibrationResult result={told.result} />}
    </Stack>
  );
}
