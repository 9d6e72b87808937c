import {
  ActionIcon,
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconDice3, IconPlayerPlay } from '@tabler/icons-react';

import { api, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';
import { anySeed, seedProblem } from '../../lib/seed';
import { Failure } from '../failure';

type BatchGiven = Schema<'BatchGiven'>;

/** What the form begins with; what is left out, the experiment says. */
export type RunGiven = Omit<BatchGiven, 'priority'>;

interface Props {
  readonly given: RunGiven;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The new batch is queued. */
  readonly onQueued: (batch: Schema<'BatchTold'>) => void;
}

/** The API's own bound on one batch. */
const MOST_REPETITIONS = 100_000;

const WHERE = [
  { value: 'sim', label: 'Simulated: our TCP on our link, in virtual time' },
  { value: 'model', label: 'Live: the kernel’s TCP, our link model' },
  { value: 'netem', label: 'Live: the kernel’s TCP, the kernel’s netem' },
  { value: 'netns', label: 'Live: the link plane that the experiment names' },
];

/** Runs an experiment as a new batch: how often, with which seed, where. */
export function RunDialog(props: Props) {
  const { given, opened, onClose } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={`Run ${given.experiment}`} size="lg">
      <RunForm {...props} />
    </Modal>
  );
}

function RunForm({ given, onClose, onQueued }: Props) {
  const keys = useCreationKeys();
  const create = api.useMutation('post', '/api/v1/batches');
  const form = useForm({
    initialValues: {
      repetitions: given.repetitions ?? ('' as number | string),
      seed: given.seed ?? '',
      where: given.testbed === 'netns' ? (given.plane ?? 'netns') : 'sim',
      captures: given.captures ?? true,
      priority: 0 as number | string,
    },
    validate: {
      repetitions: (value) =>
        value === '' || isWhole(value, 1, MOST_REPETITIONS)
          ? null
          : 'A whole number from 1 to 100 000, or nothing',
      seed: (text) => (text === '' ? null : seedProblem(text)),
      priority: (value) => (isWhole(value, -1000, 1000) ? null : 'A whole number from −1000 to 1000'),
    },
  });
  const submit = form.onSubmit(({ repetitions, seed, where, captures, priority }) => {
    const live = where !== 'sim';
    const body: BatchGiven = {
      experiment: given.experiment,
      testbed: live ? 'netns' : 'sim',
      captures,
      priority: Number(priority),
      ...(repetitions === '' ? {} : { repetitions: Number(repetitions) }),
      ...(seed === '' ? {} : { seed }),
      ...(where === 'model' || where === 'netem' ? { plane: where } : {}),
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
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <NumberInput
            label="Repetitions"
            description="Each variant on each link"
            placeholder="as the experiment says"
            min={1}
            max={MOST_REPETITIONS}
            allowDecimal={false}
            clampBehavior="none"
            data-autofocus
            {...form.getInputProps('repetitions')}
          />
          <NumberInput
            label="Priority"
            description="Higher goes first"
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps('priority')}
          />
        </Group>
        <TextInput
          label="Seed"
          description="The same seed gives the same simulated runs to the octet; those known already are not run again"
          placeholder="as the experiment says"
          inputMode="numeric"
          rightSectionWidth={40}
          rightSection={
            <Tooltip label="Another seed, by chance">
              <ActionIcon
                variant="subtle"
                aria-label="Another seed, by chance"
                onClick={() => {
                  form.setFieldValue('seed', anySeed());
                }}
              >
                <IconDice3 size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          }
          {...form.getInputProps('seed')}
        />
        <Select label="Where" data={WHERE} allowDeselect={false} {...form.getInputProps('where')} />
        <Switch
          label="Keep captures, fates and events of every run"
          {...form.getInputProps('captures', { type: 'checkbox' })}
        />
        <Text size="sm" c="dimmed">
          The experiment is run as it stands now. The new batch keeps the text of all it is made of.
        </Text>
        {create.isError && <Failure title="The batch could not be queued" error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
          >
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function isWhole(value: number | string, least: number, most: number): boolean {
  const number = Number(value);
  return value !== '' && Number.isInteger(number) && number >= least && number <= most;
}
