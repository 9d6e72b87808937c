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

type Calibration = Schema<'CalibrationView'>;
type Pace = Calibration['pace'];

const PATH = '/api/v1/calibrations';
const SHOWN = 20;

/** How exact the live testbed is here, measured: started, watched, compared with earlier ones. */
export function Calibrations() {
  const query = api.useQuery('get', PATH, { params: { query: { limit: SHOWN } } });
  return (
    <Asked query={query} failed="The calibrations could not be read" what="the calibrations" rows={6}>
      {({ items }) => <All items={items} onStarted={() => void query.refetch()} />}
    </Asked>
  );
}

function All({
  items,
  onStarted,
}: {
  readonly items: readonly Calibration[];
  readonly onStarted: () => void;
}) {
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
          <One calibration={newest} />
        </Section>
      )}
      {earlier.length > 0 && (
        <Section title="Earlier ones">
          {earlier.map((calibration) => (
            <details key={calibration.id}>
              <summary>
                {`Calibration ${calibration.id}, ${calibration.pace}${calibration.thorough ? ', thorough' : ''}: ${calibration.state}, `}
                <Moment at={calibration.asked_at} />
              </summary>
              <One calibration={calibration} />
            </details>
          ))}
        </Section>
      )}
    </Stack>
  );
}

function Start({ open, onStarted }: { readonly open: Calibration | null; readonly onStarted: () => void }) {
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

function One({ calibration }: { readonly calibration: Calibration }) {
  return (
    <Stack gap="sm">
      <Muted>
        {`Calibration ${calibration.id}, ${calibration.pace}${calibration.thorough ? ', thorough' : ''}, asked for `}
        <Moment at={calibration.asked_at} />
      </Muted>
      <div role="status" aria-live="polite">
        {calibration.state === 'waiting' && (
          <Busy>Waiting for the runs under way to end; no others start meanwhile.</Busy>
        )}
        {calibration.state === 'running' && (
          <Busy>
            It is measuring
            {calibration.started_at !== null && (
              <>
                ; it began <Moment at={calibration.started_at} />
              </>
            )}
            .
          </Busy>
        )}
        {calibration.state === 'failed' && (
          <Wrong>It failed: {calibration.reason ?? 'no reason was given'}</Wrong>
        )}
      </div>
      {calibration.result !== null && <CalibrationResult result={calibration.result} />}
    </Stack>
  );
}
