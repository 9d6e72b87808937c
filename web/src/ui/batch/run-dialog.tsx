import { Button, Group, Modal, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlayerPlay } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { MOST_REPETITIONS } from '../../lib/run-options';
import { AnySeed } from '../any-seed';
import { seedProblem } from '../../lib/seed';
import { SignButton } from '../buttons';
import { Failure } from '../asked';
import { Muted } from '../text';
import { CostsNotice } from './costs-notice';
import { type Plane, type Testbed, hasKernel, offered, testbedOf } from '../testbeds';

type BatchGiven = Schema<'BatchGiven'>;

/** What the form begins with; what is left out, the experiment says. */
export type RunGiven = Omit<BatchGiven, 'priority'>;

interface Props {
  readonly given: RunGiven;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The new batch is queued. */
  readonly onQueued: (batch: Schema<'BatchView'>) => void;
}

/** What was asked for when a batch was made. */
export function givenOf(batch: Schema<'BatchView'>): RunGiven {
  const { experiment, repetitions, seed, testbed, plane, captures } = batch;
  return {
    ...{ experiment, repetitions, seed, captures, testbed: testbedOf(testbed) },
    ...(plane === 'model' || plane === 'netem' ? { plane } : {}),
  };
}

const PLANES = [
  { value: '', label: 'What the experiment names' },
  { value: 'model', label: 'Our link model' },
  { value: 'netem', label: 'The kernel’s netem' },
];

/** Numbers are texts: what is none is refused, not read as another. */
interface Values {
  readonly repetitions: string;
  readonly seed: string;
  readonly testbed: Testbed;
  readonly plane: Plane | '';
  readonly captures: boolean;
  readonly priority: string;
}

/** Runs an experiment as a new batch: how often, with which seed, where. */
export function RunDialog(props: Props) {
  const { given, opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={`Run ${given.experiment}`} size="lg">
      <RunForm {...props} />
    </Modal>
  );
}

/** What is asked of a batch, what is wrong with it, and what queues it. */
function useRunForm({ given, onClose, onQueued }: Props) {
  const keys = useCreationKeys();
  const create = api.useMutation('post', '/api/v1/batches');
  const form = useForm<Values>({
    initialValues: {
      repetitions: String(given.repetitions ?? ''),
      seed: String(given.seed ?? ''),
      testbed: given.testbed ?? 'sim',
      plane: given.plane ?? '',
      captures: given.captures ?? true,
      priority: '0',
    },
    validate: {
      repetitions: (value) =>
        value === '' || repetitionsOf(value) !== null ? null : 'A whole number from 1 to 100,000, or nothing',
      seed: (text) => (text === '' ? null : seedProblem(text)),
      priority: (value) => (isWhole(value, -1000, 1000) ? null : 'A whole number from −1000 to 1000'),
    },
  });
  const submit = form.onSubmit(({ repetitions, seed, testbed, plane, captures, priority }) => {
    const body: BatchGiven = {
      experiment: given.experiment,
      testbed,
      captures,
      priority: Number(priority.replace('−', '-')),
      ...(repetitions === '' ? {} : { repetitions: Number(repetitions) }),
      ...(seed === '' ? {} : { seed }),
      ...(hasKernel(testbed) && (plane === 'model' || plane === 'netem') ? { plane } : {}),
    };
    create.mutate(
      { body, params: { header: { 'Idempotency-Key': keys.keyOf(body) } } },
      {
        onSuccess: (batch) => {
          keys.done(body);
          onClose();
          onQueued(batch);
        },
      },
    );
  });
  return { form, submit, create };
}

function RunForm(props: Props) {
  const { form, submit, create } = useRunForm(props);
  const testbeds = api.useQuery('get', '/api/v1/testbeds');
  const choices = offered(testbeds.data, form.values.testbed);
  const about = choices.find(({ value }) => value === form.values.testbed);
  const broken = testbeds.data?.testbeds.find(({ name, works }) => name === form.values.testbed && !works);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label="Repetitions"
            description="Each variant on each link"
            placeholder="as the experiment says"
            inputMode="numeric"
            data-autofocus
            {...form.getInputProps('repetitions')}
          />
          <TextInput
            label="Priority"
            description="Higher goes first"
            inputMode="numeric"
            {...form.getInputProps('priority')}
          />
        </Group>
        <TextInput
          label="Seed"
          description="The same seed gives the same simulated runs byte for byte; existing results are reused"
          placeholder="as the experiment says"
          inputMode="numeric"
          rightSectionWidth={40}
          rightSection={<AnySeed onSeed={(seed) => form.setFieldValue('seed', seed)} />}
          {...form.getInputProps('seed')}
        />
        <Select
          label="Testbed"
          description={broken ? `It does not work here: ${broken.why}` : about?.about}
          data={choices.map(({ value, label }) => ({ value, label }))}
          {...form.getInputProps('testbed')}
        />
        {hasKernel(form.values.testbed) && (
          <Select label="Link plane" data={PLANES} {...form.getInputProps('plane')} />
        )}
        <Switch
          label="Keep captures, fates and events of every run"
          {...form.getInputProps('captures', { type: 'checkbox' })}
        />
        <CostsNotice
          experiment={props.given.experiment}
          testbed={form.values.testbed}
          captures={form.values.captures}
          repetitions={repetitionsOf(form.values.repetitions)}
        />
        <Muted>The experiment is run as it is now. The batch keeps a copy of every file it uses.</Muted>
        {create.isError && <Failure title="The batch could not be queued" error={create.error} />}
        <Group justify="flex-end">
          <Button onClick={props.onClose}>Not now</Button>
          <SignButton type="submit" loading={create.isPending} sign={IconPlayerPlay} variant="filled">
            Run
          </SignButton>
        </Group>
      </Stack>
    </form>
  );
}

/** How many repetitions are asked for; null if the field says none. */
function repetitionsOf(text: string): number | null {
  return isWhole(text, 1, MOST_REPETITIONS) ? Number(text) : null;
}

function isWhole(text: string, least: number, most: number): boolean {
  const number = Number(text.replace('−', '-'));
  return text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most;
}
