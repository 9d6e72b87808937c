import { Button, Group, List, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';

import { type DocumentLine, useDocument, useDocuments, useKeeper } from '../../api/documents';
import { created, withEvent } from '../../link/edit';
import { eventsOf } from '../../link/document';
import { LinkTimeline } from '../../link/link-timeline';
import { describe } from '../../link/kinds';
import { ns } from '../../lib/brand';
import { SignButton } from '../../ui/buttons';
import { Failure } from '../../ui/asked';
import { Muted } from '../../ui/text';
import { client, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { freeName } from '../../lib/free-name';
import type { ScriptEvent } from '../../link/script';
import {
  BASE,
  EXPERIMENT_NAME,
  experimentText,
  LINK_NAME,
  linkText,
  REPETITIONS,
  SEED,
  TRANSFER,
  VARIANTS,
} from './experiment';
import type { Progress } from './progress';

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
        the engine makes of it. The link also holds at random now and then, differently in each repetition,
        but never while yours lasts.
      </Text>
      {progress.batch !== null && (
        <Muted>Your runs use what was drawn before. Changes you make now apply to another try.</Muted>
      )}
      <LinkTimeline
        toml={linkText(events)}
        seed={SEED}
        events={events}
        onChange={(next) => change({ events: next })}
        fixed={fixed}
        fixedFrom={BASE}
        transfer={TRANSFER}
      />
      <Group>
        {events.length === 0 ? (
          <Button onClick={() => change({ events: withEvent([], created('hold', ns(10e9), ns(3e9), [])) })}>
            Draw it for me
          </Button>
        ) : (
          <Button onClick={onNext} variant="filled">
            Go on with what I drew
          </Button>
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
        <SignButton sign={IconPlayerPlay} loading={busy} onClick={() => void run()} variant="filled">
          {`Run ${VARIANTS.length * REPETITIONS} simulated runs${progress.batch === null ? '' : ' once more'}`}
        </SignButton>
        {progress.batch !== null && <Button onClick={onNext}>Go on with batch {progress.batch}</Button>}
      </Group>
    </Stack>
  );
}

interface Beginning {
  /** Saves link and experiment and queues the runs; the number of the batch, or null if that failed. */
  readonly begin: (events: readonly ScriptEvent[]) => Promise<number | null>;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Runs the experiment of the tour for real. */
function useBeginning(): Beginning {
  const links = useDocuments('links');
  const experiments = useDocuments('experiments');
  const keepLinks = useKeeper('links');
  const keepExperiments = useKeeper('experiments');
  const keys = useCreationKeys();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const begin = async (events: readonly ScriptEvent[]): Promise<number | null> => {
    setBusy(true);
    setError(null);
    try {
      const link = freeName(LINK_NAME, namesOf(links.data));
      const toml = linkText(events);
      await keepLinks.create(link, toml, keys.keyOf({ link, toml }));
      const experiment = freeName(EXPERIMENT_NAME, namesOf(experiments.data));
      const text = experimentText(link);
      await keepExperiments.create(experiment, text, keys.keyOf({ experiment, text }));
      const body: Schema<'BatchGiven'> = { experiment, testbed: 'sim', captures: true, priority: 0 };
      const { data } = await client.POST('/api/v1/batches', {
        body,
        params: { header: { 'Idempotency-Key': keys.keyOf(body) } },
      });
      for (const request of [{ link, toml }, { experiment, text }, body]) keys.done(request);
      return data?.id ?? null;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { begin, busy: busy || links.isPending || experiments.isPending, error };
}

const namesOf = (lines: readonly DocumentLine[] | undefined) => new Set(lines?.map(({ name }) => name));
