import { Button, Group, Modal, Select, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState, type SyntheticEvent } from 'react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { useDocuments } from '../../api/documents';
import { Asked, Failure, sentence } from '../../ui/asked';
import { DocumentSelect, titlesOf } from '../../ui/document-select';
import { Muted } from '../../ui/text';
import { offered, testbedOf } from '../../ui/testbeds';
import { inWords } from '../../ui/rounds';
import {
  type Against,
  changesOf,
  givenOf,
  refusedAt,
  START,
  type Wanted,
  wantedOf,
  whatIsMissing,
} from './wanted';

type Schedule = Schema<'ScheduleView'>;

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: (schedule: Schedule) => void;
  /** The experiment that a new one begins with, if one was chosen elsewhere. */
  readonly experiment?: string | null;
  /** The schedule that is changed; a new one is made without. */
  readonly before?: Schedule;
}

/** Asks what is to run when, and keeps it. */
export function ScheduleDialog({ opened, onClose, ...form }: Props) {
  const title = form.before === undefined ? 'New schedule' : `Change ${form.before.name}`;
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <Form onClose={onClose} {...form} />
    </Modal>
  );
}

const hereZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function useSchedule({ before, experiment, onDone }: Omit<Props, 'opened' | 'onClose'>) {
  const [wanted, setWanted] = useState<Wanted>(() =>
    before === undefined ? { ...START, zone: hereZone(), experiment: experiment ?? null } : wantedOf(before),
  );
  const keys = useCreationKeys();
  const create = api.useMutation('post', '/api/v1/schedules');
  const change = api.useMutation('patch', '/api/v1/schedules/{id}');
  const missing = whatIsMissing(wanted, before ?? null);
  const [sent, setSent] = useState(wanted);
  const submit = () => {
    setSent(wanted);
    if (before !== undefined) {
      const body = changesOf(wanted, before);
      if (body !== null) change.mutate({ body, params: { path: { id: before.id } } }, { onSuccess: onDone });
      return;
    }
    const body = givenOf(wanted);
    if (body === null) return;
    create.mutate(
      { body, params: { header: { 'Idempotency-Key': keys.keyOf(body) } } },
      {
        onSuccess: (made) => {
          keys.done(body);
          onDone(made);
        },
      },
    );
  };
  const update = (changes: Partial<Wanted>) => setWanted({ ...wanted, ...changes });
  const pending = create.isPending || change.isPending;
  const error: unknown = create.error ?? change.error;
  const refused = useMemo(() => (error === null ? null : refusedAt(error)), [error]);
  /** What was refused of a field, until it says something else. */
  const wrong = (field: keyof Wanted) =>
    wanted[field] === sent[field] && refused?.at[field] !== undefined
      ? sentence(refused.at[field])
      : undefined;
  return { wanted, update, wrong, missing, submit, pending, error, refused };
}

function Form({ onClose, ...props }: Omit<Props, 'opened'>) {
  const { missing, submit, pending, error, refused, ...fields } = useSchedule(props);
  const { before } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refused !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (missing === null) submit();
  };
  return (
    <form ref={form} onSubmit={onSubmit} noValidate>
      <Stack>
        <What {...fields} />
        <When {...fields} />
        <Gate {...fields} />
        <Receiver {...fields} before={before} />
        <Forge {...fields} before={before} />
        {missing !== null && <Muted role="status">{missing}</Muted>}
        {refused?.elsewhere === true && <Failure title="It cannot be scheduled" error={error} />}
        <Group justify="flex-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="filled" loading={pending} disabled={missing !== null}>
            {before === undefined ? 'Schedule' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly wanted: Wanted;
  readonly update: (changes: Partial<Wanted>) => void;
  /** What was refused of a field. */
  readonly wrong: (field: keyof Wanted) => string | undefined;
}

function What({ wanted, update, wrong }: PartProps) {
  const experiments = useDocuments('experiments');
  const testbeds = api.useQuery('get', '/api/v1/testbeds');
  return (
    <>
      <TextInput
        label="Name"
        description="Its batches have it as a tag"
        placeholder="nightly"
        data-autofocus
        value={wanted.name}
        error={wrong('name')}
        onChange={({ currentTarget }) => update({ name: currentTarget.value })}
      />
      <Asked query={experiments} failed="The experiments could not be read" what="the experiments" rows={2}>
        {(all) => (
          <DocumentSelect
            label="Experiment"
            description="Run as it is when the time comes"
            documents={titlesOf(all)}
            value={wanted.experiment}
            error={wrong('experiment')}
            onChange={(experiment) => update({ experiment })}
          />
        )}
      </Asked>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Repetitions"
          placeholder="as the experiment says"
          inputMode="numeric"
          value={wanted.repetitions}
          error={wrong('repetitions')}
          onChange={({ currentTarget }) => update({ repetitions: currentTarget.value })}
        />
        <Select
          label="Seed"
          allowDeselect={false}
          data={[
            { value: 'same', label: 'The same each time' },
            { value: 'fresh', label: 'A new one each time' },
          ]}
          value={wanted.freshSeed ? 'fresh' : 'same'}
          error={wrong('freshSeed')}
          onChange={(seed) => update({ freshSeed: seed === 'fresh' })}
        />
      </SimpleGrid>
      <Select
        label="Testbed"
        allowDeselect={false}
        data={offered(testbeds.data, wanted.testbed).map(({ value, label }) => ({ value, label }))}
        value={wanted.testbed}
        error={wrong('testbed')}
        onChange={(testbed) => testbed !== null && update({ testbed: testbedOf(testbed) })}
      />
    </>
  );
}

function zones(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])];
}

/** When it runs, and what that means. */
function When({ wanted, update, wrong }: PartProps) {
  const { cron, zone } = wanted;
  const [asked] = useDebouncedValue(cron.trim(), 300);
  const times = api.useQuery(
    'get',
    '/api/v1/schedules/times',
    { params: { query: { cron: asked, zone } } },
    { enabled: asked !== '', retry: false },
  );
  const settled = asked === cron.trim();
  const unread = settled && asked !== '' && times.error !== null ? sentence(times.error) : undefined;
  return (
    <Stack gap={4}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="When"
          description="Minute, hour, day, month, day of the week"
          placeholder="only on request"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={cron}
          error={unread ?? wrong('cron')}
          onChange={({ currentTarget }) => update({ cron: currentTarget.value })}
        />
        <Select
          label="Time zone"
          description="Of the place whose clock counts"
          searchable
          allowDeselect={false}
          data={zones(zone)}
          value={zone}
          error={wrong('zone')}
          onChange={(chosen) => chosen !== null && update({ zone: chosen })}
        />
      </SimpleGrid>
      <Muted role="status">
        {asked === ''
          ? 'It runs only when you, or a forge, ask for it.'
          : settled && times.data !== undefined
            ? inWords(times.data)
            : ' '}
      </Muted>
    </Stack>
  );
}

const AGAINST: readonly { readonly value: Against; readonly label: string }[] = [
  { value: 'previous', label: 'the newest batch before it that did not fail' },
  { value: 'variants', label: 'its own first variant' },
  { value: 'batch', label: 'a batch of a number' },
];

/** How each batch is judged. */
function Gate({ wanted, update, wrong }: PartProps) {
  return (
    <>
      <Textarea
        label="It fails if"
        description="Rules as for a gate, one a line. Empty: it is not judged"
        autosize
        minRows={1}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={wanted.rules}
        error={wrong('rules')}
        onChange={({ currentTarget }) => update({ rules: currentTarget.value })}
      />
      {wanted.rules.trim() !== '' && (
        <>
          <SimpleGrid cols={{ base: 1, xs: wanted.against === 'batch' ? 2 : 1 }}>
            <Select
              label="Compared with"
              allowDeselect={false}
              data={[...AGAINST]}
              value={wanted.against}
              error={wrong('against')}
              onChange={(against) =>
                update({ against: AGAINST.find(({ value }) => value === against)?.value ?? 'previous' })
              }
            />
            {wanted.against === 'batch' && (
              <TextInput
                label="Batch"
                inputMode="numeric"
                value={wanted.baseline}
                error={wrong('baseline')}
                onChange={({ currentTarget }) => update({ baseline: currentTarget.value })}
              />
            )}
          </SimpleGrid>
          <Switch
            label="Tell me also when the runs do not decide"
            checked={wanted.strict}
            onChange={({ currentTarget }) => update({ strict: currentTarget.checked })}
          />
        </>
      )}
    </>
  );
}

type WithBefore = PartProps & { readonly before: Schedule | undefined };

const KEPT = 'unchanged';

/** Who is told. */
function Receiver({ wanted, update, wrong, before }: WithBefore) {
  const known = before?.notice ?? null;
  return (
    <>
      <Switch
        label="Send a notice when it fails"
        description="A POST of JSON to an address, as those of Slack and Mattermost"
        checked={wanted.tells}
        onChange={({ currentTarget }) => update({ tells: currentTarget.checked })}
      />
      {wanted.tells && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Address"
            placeholder={known === null ? 'https://chat.example.org/hooks/abc' : `${known.to}/…, ${KEPT}`}
            value={wanted.url}
            error={wrong('url')}
            onChange={({ currentTarget }) => update({ url: currentTarget.value })}
          />
          <TextInput
            label="Secret that signs it"
            autoComplete="off"
            placeholder={known?.signed === true && wanted.url === '' ? KEPT : 'not signed'}
            disabled={known !== null && wanted.url === ''}
            value={wanted.noticeSecret}
            error={wrong('noticeSecret')}
            onChange={({ currentTarget }) => update({ noticeSecret: currentTarget.value })}
          />
        </SimpleGrid>
      )}
    </>
  );
}

/** Which forge may start it. */
function Forge({ wanted, update, wrong, before }: WithBefore) {
  const known = before?.hook ?? null;
  return (
    <>
      <Switch
        label="Let a forge start it"
        description="A webhook of GitHub, GitLab, Gitea or Forgejo, when something was pushed"
        checked={wanted.hooked}
        onChange={({ currentTarget }) => update({ hooked: currentTarget.checked })}
      />
      {wanted.hooked && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Secret of the webhook"
            description="16 characters or more, the same as in the forge"
            autoComplete="off"
            placeholder={known === null ? '' : KEPT}
            value={wanted.hookSecret}
            error={wrong('hookSecret')}
            onChange={({ currentTarget }) => update({ hookSecret: currentTarget.value })}
          />
          <TextInput
            label="Branch"
            description="Pushes to others start nothing"
            placeholder="any"
            disabled={known !== null && wanted.hookSecret === ''}
            value={wanted.branch}
            error={wrong('branch')}
            onChange={({ currentTarget }) => update({ branch: currentTarget.value })}
          />
        </SimpleGrid>
      )}
    </>
  );
}
