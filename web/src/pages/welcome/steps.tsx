import { Button, Group, List, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';

import { useDocument } from '../../api/documents';
import { created, withEvent } from '../../link/edit';
import { eventsOf } from '../../link/document';
import { LinkTimeline } from '../../link/link-timeline';
import { describe } from '../../link/kinds';
import { ns } from '../../lib/brand';
import { Failure } from '../../ui/failure';
import { BASE, linkText, REPETITIONS, TRANSFER, VARIANTS } from './experiment';
import type { Progress } from './progress';
import { useBeginning } from './use-beginning';

export interface StepProps {
  readonly progress: Progress;
  readonly change: (changes: Partial<Progress>) => void;
  /** Goes on to the next step. */
  readonly onNext: () => void;
}

/** Draw the hold. */
export function DrawStep({ progress, change, onNext }: StepProps) {
  const { data } = useDocument('links', BASE);
  const resolved = data?.resolved;
  const link = resolved && 'resolved' in resolved ? resolved.resolved : {};
  const fixed = eventsOf('script' in link ? link.script : undefined) ?? [];
  const { events } = progress;
  return (
    <Stack>
      <Text maw="75ch">
        This is a GPRS link: slow, long, and reliable. Make it stop. On the lane <b>Hold</b>, drag from 10 to
        13 seconds: for three seconds the link delivers nothing, and loses nothing either. Below you see what
        the engine makes of it; the link also holds at random now and then, differently in each repetition.
      </Text>
      {progress.batch !== null && (
        <Text size="sm" c="dimmed">
          Your runs use what was drawn before. Changes you make now apply to another try.
        </Text>
      )}
      <LinkTimeline
        toml={linkText(events)}
        events={events}
        onChange={(next) => change({ events: next })}
        fixed={fixed}
        fixedFrom={BASE}
        transfer={TRANSFER}
      />
      <Group>
        {events.length === 0 ? (
          <Button
            variant="default"
            onClick={() => change({ events: withEvent([], created('hold', ns(10e9), ns(3e9), [])) })}
          >
            Draw it for me
          </Button>
        ) : (
          <Button onClick={onNext}>Go on with what I drew</Button>
        )}
      </Group>
    </Stack>
  );
}

/** What each sender does, in a line. */
const SENDERS: Readonly<Record<(typeof VARIANTS)[number], string>> = {
  sack: 'conventional TCP: when its timer runs out, it takes everything for lost and sends it again',
  'frto+sack':
    'F-RTO: after a timeout it sends new data first, and lets two acknowledgements tell delay from loss',
  'eifel+sack':
    'Eifel: timestamps tell it at once whether an acknowledgement is for the first copy or the second',
};

/** Run it. */
export function RunStep({ progress, change, onNext }: StepProps) {
  const { begin, busy, error } = useBeginning();
  const run = async () => {
    const batch = await begin(progress.events);
    if (batch === null) return;
    change({ batch, ended: false, opened: false, compared: false });
    onNext();
  };
  return (
    <Stack>
      <Text maw="75ch">
        Three senders will each transfer 100 KiB over your link ({progress.events.map(describe).join('; ')}),{' '}
        {REPETITIONS} times. The n-th run of each has exactly the same link, random holds included: any
        difference between them is due to the sender alone.
      </Text>
      <List spacing={4}>
        {VARIANTS.map((name) => (
          <List.Item key={name}>
            <b>{name}</b>, {SENDERS[name]}
          </List.Item>
        ))}
      </List>
      {error !== null && <Failure title="The experiment could not be run" error={error} />}
      <Group>
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={busy}
          onClick={() => void run()}
        >
          {`Run ${VARIANTS.length * REPETITIONS} simulated runs${progress.batch === null ? '' : ' once more'}`}
        </Button>
        {progress.batch !== null && (
          <Button variant="default" onClick={onNext}>
            Go on with batch {progress.batch}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
