import {
  ActionIcon,
  Anchor,
  Group,
  Radio,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconDice3 } from '@tabler/icons-react';
import { Link } from 'react-router';

import { api, type Schema } from '../../api/client';
import type { Problem } from '../../api/failure';
import { anySeed } from '../../lib/seed';
import { to } from '../../ui/links';
import { valueAt, withValue, type Draft } from './draft';
import { Section } from './section';
import { messageAt, type FieldErrors } from './settle';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly errors: FieldErrors;
  readonly problems: readonly Problem[];
}

const TESTBEDS = [
  {
    value: 'sim',
    label: 'Simulated (sim)',
    about: 'Our TCP over our link in virtual time: fast, and the same to the octet every time.',
  },
  {
    value: 'netns',
    label: 'Live (netns)',
    about:
      'Real time, in network namespaces: the kernel’s TCP and ours, with the same runs simulated beside them.',
  },
] as const;

/** How often, where, and what is kept. */
export function RunsSection({ draft, change, errors, problems }: Props) {
  const testbeds = api.useQuery('get', '/api/v1/testbeds');
  const limit = valueAt(draft.rest, 'time_limit');
  const snaplen = valueAt(draft.rest, 'capture.snaplen');
  return (
    <Section step={4} title="Runs" about="How often, from which seed, and where.">
      <Group align="flex-start" gap="md">
        <TextInput
          label="Repetitions"
          description="of each variant"
          inputMode="numeric"
          w={130}
          value={draft.repetitions}
          error={errors.repetitions ?? messageAt(problems, 'repetitions')}
          onChange={({ currentTarget }) => {
            change({ repetitions: currentTarget.value.trim() });
          }}
        />
        <TextInput
          label="Seed"
          description="all randomness comes from it"
          inputMode="numeric"
          w={240}
          value={draft.seed}
          error={errors.seed ?? messageAt(problems, 'seed')}
          onChange={({ currentTarget }) => {
            change({ seed: currentTarget.value.trim() });
          }}
          rightSection={
            <Tooltip label="Another seed, by chance">
              <ActionIcon
                variant="subtle"
                aria-label="Another seed, by chance"
                onClick={() => {
                  // Half of 64 bits: files have signed numbers.
                  change({ seed: String(BigInt(anySeed()) >> 1n) });
                }}
              >
                <IconDice3 size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          }
        />
        <TextInput
          label="Time limit of a run"
          description="in its own time; empty: 1 h"
          placeholder="1 h"
          w={190}
          value={typeof limit === 'string' ? limit : ''}
          error={messageAt(problems, 'time_limit')}
          onChange={({ currentTarget: { value } }) => {
            change({ rest: withValue(draft.rest, 'time_limit', value.trim() === '' ? undefined : value) });
          }}
        />
      </Group>
      <Radio.Group
        label="Testbed"
        value={draft.testbed}
        onChange={(value) => {
          change({ testbed: value === 'netns' ? 'netns' : 'sim' });
        }}
      >
        <Stack gap="xs" mt={4}>
          {TESTBEDS.map(({ value, label, about }) => (
            <Radio
              key={value}
              value={value}
              label={label}
              description={
                <Works about={about} thing={testbeds.data?.testbeds.find(({ name }) => name === value)} />
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {draft.testbed === 'netns' && (
        <Select
          label="What makes the link of live runs"
          maw={420}
          allowDeselect={false}
          data={planeChoices(testbeds.data)}
          value={draft.plane ?? ''}
          onChange={(value) => {
            change({ plane: value === 'model' || value === 'netem' ? value : null });
          }}
        />
      )}
      <Group gap="lg" align="flex-end">
        <Switch
          label="Keep captures, fates and events of every run"
          checked={draft.captures}
          onChange={({ currentTarget }) => {
            change({ captures: currentTarget.checked });
          }}
        />
        {draft.captures && (
          <Select
            label="Captures keep of each packet"
            w={260}
            allowDeselect={false}
            data={[
              { value: 'headers', label: 'its headers' },
              { value: 'full', label: 'all of it' },
              ...(typeof snaplen === 'string' && snaplen !== 'full' && snaplen !== 'headers'
                ? [snaplen]
                : []),
            ]}
            value={typeof snaplen === 'string' ? snaplen : 'headers'}
            onChange={(value) => {
              const told = value === 'headers' || value === null ? undefined : value;
              change({ rest: withValue(draft.rest, 'capture.snaplen', told) });
            }}
          />
        )}
      </Group>
    </Section>
  );
}

interface WorksProps {
  readonly about: string;
  readonly thing: Schema<'ThingTold'> | undefined;
}

/** What a testbed is, and whether it works on the machine that serves. */
function Works({ about, thing }: WorksProps) {
  return (
    <>
      {about}{' '}
      {thing && !thing.works && (
        <Text span size="xs" c="var(--mantine-color-error)">
          It does not work here: {thing.why}.{' '}
          <Anchor component={Link} to={to.testbeds} size="xs" underline="always">
            What would help
          </Anchor>
        </Text>
      )}
      {thing?.works === true && (
        <Text span size="xs" fw={600}>
          Works here.
        </Text>
      )}
    </>
  );
}

function planeChoices(told: Schema<'TestbedsTold'> | undefined) {
  const broken = (plane: string) => told?.planes.some(({ name, works }) => name === plane && !works) === true;
  return [
    { value: '', label: 'What the experiment names, else our link model' },
    { value: 'model', label: `Our link model${broken('model') ? ' (does not work here)' : ''}` },
    { value: 'netem', label: `The kernel’s netem${broken('netem') ? ' (does not work here)' : ''}` },
  ];
}
