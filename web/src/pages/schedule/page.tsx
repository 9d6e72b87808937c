import { Group, Stack, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useParams } from 'react-router';

import { api, type Schema } from '../../api/client';
import { idIn } from '../../lib/ids';
import { momentInWords } from '../../ui/rounds';
import { Asked, AskedPage, Nowhere } from '../../ui/asked';
import { TextLink } from '../../ui/buttons';
import { Copyable } from '../../ui/copy';
import { Fact } from '../../ui/facts';
import { to } from '../../ui/links';
import { Page, Section } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { Bullets, Muted, Notice } from '../../ui/text';
import { useAddress } from '../../ui/use-address';
import { Actions } from './actions';
import { Rounds } from './rounds';

const ABOVE = [{ label: 'Schedules', to: to.schedules }];
const LIMIT = 25;

/** A schedule: when it runs, how it is judged, who is told, and what came of it so far. */
export function Component() {
  const { id: text = '' } = useParams();
  const id = idIn(text);
  return id === null ? <NoSuchSchedule id={text} /> : <Read key={id} id={id} />;
}

function Read({ id }: { readonly id: number }) {
  return (
    <AskedPage
      query={api.useQuery('get', '/api/v1/schedules/{id}', { params: { path: { id } } })}
      title={`Schedule ${id}`}
      above={ABOVE}
      failed="The schedule could not be read"
      what={`schedule ${id}`}
      rows={8}
      none={<NoSuchSchedule id={String(id)} />}
    >
      {(schedule) => <Shown schedule={schedule} />}
    </AskedPage>
  );
}

function Shown({ schedule }: { readonly schedule: Schema<'ScheduleView'> }) {
  return (
    <Page title={schedule.name} above={ABOVE} actions={<Actions schedule={schedule} />}>
      <Stack gap="lg">
        {schedule.paused && (
          <Notice color="gray" sign={IconPlayerPause} title="It is paused" role="status">
            Neither the clock nor a forge starts it. “Run now” still does.
          </Notice>
        )}
        <Facts schedule={schedule} />
        {schedule.gate !== null && <Gate gate={schedule.gate} />}
        {schedule.hook !== null && <Hook hook={schedule.hook} />}
        <History schedule={schedule} />
      </Stack>
    </Page>
  );
}

function Facts({ schedule }: { readonly schedule: Schema<'ScheduleView'> }) {
  const {
    experiment,
    repetitions,
    seed,
    fresh_seed: fresh,
    next_at: next,
    words,
    cron,
    zone,
    notice,
  } = schedule;
  const same = seed ?? 'the experiment’s';
  return (
    <Group component="dl" gap="xl" m={0} align="flex-start">
      <Fact name="Experiment">
        <TextLink to={to.document('experiment', experiment)}>{experiment}</TextLink>
      </Fact>
      <Fact name="When">{words === null ? 'on request' : `${words}, ${zone}`}</Fact>
      {cron !== null && (
        <Fact name="Next, in your time">{next === null ? 'paused' : momentInWords(next)}</Fact>
      )}
      <Fact name="Repetitions">{repetitions ?? 'as the experiment says'}</Fact>
      <Fact name="Seed">{fresh ? 'a new one each time' : same}</Fact>
      <Fact name="Notices go to">
        {notice === null ? 'nobody' : `${notice.to}, ${notice.signed ? 'signed' : 'not signed'}`}
      </Fact>
      <Fact name="Its batches">
        <TextLink to={to.tagged(schedule.name)}>All with its tag</TextLink>
      </Fact>
    </Group>
  );
}

const AGAINST = {
  previous: 'Compared with the newest batch before it that did not fail.',
  variants: 'The first variant of a batch is the baseline of its others.',
} as const;

function Gate({ gate }: { readonly gate: Schema<'GateView'> }) {
  return (
    <Section title="It fails if">
      <Bullets of={gate.fail_if.map((rule) => `\`${rule}\``)} />
      <Muted>
        {gate.against === 'batch' ? (
          <>
            Compared with <TextLink to={to.batch(gate.batch ?? 0)}>batch {gate.batch}</TextLink>.
          </>
        ) : (
          AGAINST[gate.against]
        )}
        {gate.strict && ' What is not decided is told, too.'}
      </Muted>
    </Section>
  );
}

function Hook({ hook }: { readonly hook: Schema<'HookView'> }) {
  return (
    <Section title="Started by a forge">
      <Text size="sm">
        {hook.branch === null ? 'By a push' : `By a push to ${hook.branch}`}. Address of the webhook, with the
        content type application/json:
      </Text>
      <Copyable text={`${location.origin}/${hook.path}`} what="the address of the webhook" />
    </Section>
  );
}

function History({ schedule: { id } }: { readonly schedule: Schema<'ScheduleView'> }) {
  const after = useAddress().params.get('after');
  const rounds = api.useQuery(
    'get',
    '/api/v1/schedules/{id}/rounds',
    { params: { path: { id }, query: { limit: LIMIT, ...(after !== null && { cursor: after }) } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Section title="What came of it">
      <Asked query={rounds} failed="Its rounds could not be read" what="its rounds" rows={4}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Text size="sm">It has not run yet.</Text>
          ) : (
            <Stack>
              <Rounds rounds={items} />
              <Pager of="rounds" next={next} />
            </Stack>
          )
        }
      </Asked>
    </Section>
  );
}

function NoSuchSchedule({ id }: { readonly id: string }) {
  return (
    <Nowhere
      title="No such schedule"
      above={ABOVE}
      heading={`There is no schedule ${id}`}
      go={['To all schedules', to.schedules]}
    >
      It was deleted, or the address was mistyped.
    </Nowhere>
  );
}
