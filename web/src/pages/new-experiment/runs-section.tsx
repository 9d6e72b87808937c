import { Group, Radio, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';

import { api, type Schema } from '../../api/client';
import { countOf } from '../../lib/toml-edit';
import { AnySeed } from '../../ui/any-seed';
import { TextLink } from '../../ui/buttons';
import { to } from '../../ui/links';
import { hasKernel, isLive, offered, testbedOf } from '../../ui/testbeds';
import { textOf } from '../../lib/values';
import { FormSection } from '../../ui/form-section';
import { useForm } from './use-form';

/** How often, where, and what is kept. */
export function RunsSection() {
  const { draft, change } = useForm();
  const testbeds = api.useQuery('get', '/api/v1/testbeds');
  return (
    <FormSection step={4} title="Runs" about="Repetitions, seed and testbed.">
      <HowOften />
      <Radio.Group
        label="Testbed"
        value={draft.testbed}
        onChange={(value) => change({ testbed: testbedOf(value) })}
      >
        <Stack gap="xs" mt={4}>
          {offered(testbeds.data, draft.testbed).map(({ value, label, about }) => (
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
      {hasKernel(draft.testbed) && <LiveFields testbeds={testbeds.data} />}
      <Kept />
    </FormSection>
  );
}

/** Repetitions, seed and time limit. */
function HowOften() {
  const { change, errors, message, typed, entered } = useForm();
  return (
    <Group align="flex-start" gap="md">
      <TextInput
        label="Repetitions"
        description="of each variant"
        inputMode="numeric"
        w={130}
        {...entered('repetitions')}
        error={errors.repetitions ?? message('repetitions')}
      />
      <TextInput
        label="Seed"
        description="all randomness comes from it"
        inputMode="numeric"
        w={240}
        {...entered('seed')}
        error={errors.seed ?? message('seed')}
        rightSection={<AnySeed onSeed={(seed) => change({ seed })} />}
      />
      <TextInput
        label="Time limit of a run"
        description="in its own time; empty: 1 h"
        placeholder="1 h"
        w={190}
        {...typed('time_limit')}
        error={message('time_limit')}
      />
    </Group>
  );
}

/** Which files of each run are kept, and how much of each packet is in them. */
function Kept() {
  const { draft, change, at, below, set, marked } = useForm();
  const snaplen = at('capture.snaplen');
  return (
    <Group gap="lg" align="flex-end">
      <Switch
        label="Keep captures, fates and events of every run"
        checked={draft.captures}
        onChange={({ currentTarget }) => change({ captures: currentTarget.checked })}
      />
      {draft.captures && (
        <Select
          label="Captured of each packet"
          w={260}
          data={[
            { value: 'headers', label: 'headers only' },
            { value: 'full', label: 'the whole packet' },
            ...(typeof snaplen === 'string' && snaplen !== 'full' && snaplen !== 'headers' ? [snaplen] : []),
          ]}
          value={typeof snaplen === 'string' ? snaplen : 'headers'}
          onChange={(value) =>
            set(
              'capture.snaplen',
              value === (textOf(below('capture.snaplen')) || 'headers') ? undefined : value,
            )
          }
          {...marked('capture.snaplen')}
        />
      )}
    </Group>
  );
}

/** What only live runs have (docs/files.md, `live`). */
function LiveFields({ testbeds }: { readonly testbeds: Schema<'TestbedsView'> | undefined }) {
  const { draft, change, at, set, message, typed, chosen } = useForm();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label="Link plane of live runs"
        description="The experiment’s, or another for this batch"
        // In its own kernel the testbed has netem, whatever the machine’s has.
        data={planeChoices(draft.testbed === 'kernel' ? undefined : testbeds, at('live.plane'))}
        value={draft.plane ?? ''}
        onChange={(value) => change({ plane: value === 'model' || value === 'netem' ? value : null })}
      />
      <Select
        label="The receiver’s TCP"
        description="of live runs"
        {...chosen('live.peer', [
          { value: '', label: 'Default (the sender’s variant)' },
          { value: 'same', label: 'The sender’s variant' },
          { value: 'linux', label: 'The kernel’s, unchanged' },
          { value: 'windlull', label: 'Ours, with every option' },
        ])}
      />
      <TextInput
        label="Time limit of a live run"
        description="empty: the time limit above"
        {...typed('live.time_limit')}
        error={message('live.time_limit')}
      />
      {isLive(draft.testbed) && (
        <>
          <TextInput
            label="Repetitions of live runs"
            description="empty: as many as simulated"
            inputMode="numeric"
            {...typed('live.repetitions')}
            error={message('live.repetitions')}
            onChange={({ currentTarget: { value } }) => set('live.repetitions', countOf(value))}
          />
          <Select
            label="How the link waits for the next packet"
            description="of live runs"
            {...chosen('live.pace', [
              { value: '', label: 'Default (precisely)' },
              { value: 'precise', label: 'Precisely: to microseconds, using a core' },
              { value: 'frugal', label: 'By timers alone: to a tenth of a millisecond' },
            ])}
          />
        </>
      )}
    </SimpleGrid>
  );
}

interface WorksProps {
  readonly about: string;
  readonly thing: Schema<'HealthCheck'> | undefined;
}

/** What a testbed is, and whether it works on the machine that serves. */
function Works({ about, thing }: WorksProps) {
  return (
    <>
      {about}{' '}
      {thing && !thing.works && (
        <Text span size="xs" c="var(--mantine-color-error)">
          It does not work here: {thing.why}.{' '}
          <TextLink to={to.testbeds} size="xs" underline="always">
            What would help
          </TextLink>
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

function planeChoices(testbeds: Schema<'TestbedsView'> | undefined, named: unknown) {
  const broken = (plane: string) =>
    testbeds?.planes.some(({ name, works }) => name === plane && !works) === true;
  return [
    { value: '', label: `As the experiment says (${named === 'netem' ? 'netem' : 'our model'})` },
    { value: 'model', label: `Our link model${broken('model') ? ' (does not work here)' : ''}` },
    { value: 'netem', label: `The kernel’s netem${broken('netem') ? ' (does not work here)' : ''}` },
  ];
}
