import {
  Button,
  Fieldset,
  Group,
  Input,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import { IconArrowsRightLeft, IconCopy, IconPlus } from '@tabler/icons-react';
import { useId } from 'react';

import { useDocument } from '../../api/documents';
import { SignButton } from '../../ui/buttons';
import { texts } from '../../lib/json';
import { DocumentSelect } from '../../ui/document-select';
import type { Verdict } from '../../toml/use-validation';
import { Muted } from '../../ui/text';
import type { Draft } from './draft';
import { withValue } from '../../lib/values';
import { CommandFields } from './command-fields';
import { FRESH_COMMANDS } from './commands';
import {
  endingBy,
  fieldsOf,
  FRESH_WORKLOAD,
  freshSet,
  keyAt,
  ofKind,
  SET_KINDS,
  withSaid,
  workloadOf,
  type FlowSet,
  type OwnWorkload,
  type SetField,
} from './flows';
import { FormSection } from '../../ui/form-section';
import { workloadTitle } from './documents';
import { messageAt } from '../../api/problems';
import { Origin, useForm } from './use-form';

/** What is transferred. */
export function WorkloadSection() {
  const { draft, change: changeAll, own: ownAt, below, inherits, existing, errors, message } = useForm();
  const error = message('workload', 'workloads') ?? errors.workload;
  const own = draft.ownWorkload;
  const several = texts(inherits('workload') ? below('workloads') : ownAt('workloads'));
  const change = (changes: Partial<Draft>) =>
    changeAll({ ...changes, rest: withValue(draft.rest, 'workloads', undefined) });
  return (
    <FormSection
      step={3}
      title="Workload"
      about="What is transferred: one transfer, sets of flows side by side, or what programs of your own send."
      error={own || draft.commands ? error : undefined}
    >
      <Radio.Group
        aria-label="Which workload"
        value={draft.commands ? 'commands' : own ? 'own' : 'named'}
        onChange={(value) => {
          change({
            ownWorkload: value === 'own' ? (own ?? FRESH_WORKLOAD) : null,
            commands: value === 'commands' ? (draft.commands ?? FRESH_COMMANDS) : null,
          });
        }}
      >
        <Group gap="lg">
          <Radio value="named" label="A saved one" />
          <Radio value="own" label="A new one" />
          <Radio value="commands" label="Commands in containers of your own" />
        </Group>
      </Radio.Group>
      <Origin of="workload" />
      {several.length > 0 && (
        <Muted>Every link has runs with each of {several.join(', ')}; a choice here replaces them.</Muted>
      )}
      {draft.commands ? (
        <CommandFields commands={draft.commands} />
      ) : own ? (
        <Own own={own} />
      ) : (
        <>
          <DocumentSelect
            label="Workload"
            documents={existing.workloads}
            value={draft.workload}
            error={error}
            onChange={(workload) => change({ workload })}
          />
          <Chosen name={draft.workload} />
        </>
      )}
    </FormSection>
  );
}

/** What a workload that is there carries, in the engine's words, and how to make another of it. */
function Chosen({ name }: { readonly name: string }) {
  const { change } = useForm();
  const { data } = useDocument('workloads', name === '' ? null : name);
  const copy = data ? workloadOf(data.toml) : null;
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Words lines={linesOf(data?.resolved)} />
      {copy && (
        <SignButton
          size="xs"
          sign={IconCopy}
          onClick={() => {
            change({ ownWorkload: { ...copy, title: null } });
          }}
        >
          Change a copy
        </SignButton>
      )}
    </Group>
  );
}

function Own({ own }: { readonly own: OwnWorkload }) {
  const { change, outcome, errors, workloadVerdict: verdict } = useForm();
  const set = (changes: Partial<OwnWorkload>) => {
    change({ ownWorkload: { ...own, ...changes } });
  };
  const setAt = (at: number, next: FlowSet) =>
    set({ sets: own.sets.map((one, i) => (i === at ? next : one)) });
  const add = (next: FlowSet) => set({ sets: [...own.sets, next] });
  return (
    <Stack gap="sm">
      {own.sets.map((one, i) => (
        <SetFields
          key={i}
          at={i}
          set={one}
          onChange={(next) => setAt(i, next)}
          onRemove={() => set({ sets: own.sets.filter((_, other) => other !== i) })}
        />
      ))}
      <Group gap="sm">
        <SignButton size="sm" sign={IconPlus} onClick={() => add(freshSet('bulk'))}>
          Add flows
        </SignButton>
        <SignButton size="sm" sign={IconArrowsRightLeft} onClick={() => add(freshSet('constant-rate'))}>
          Add cross traffic
        </SignButton>
      </Group>
      <Words lines={verdict.state === 'valid' ? linesOf(verdict.resolved) : []} />
      <Stack gap="sm">
        <TextInput
          label="Title of the workload"
          description="In one line"
          value={own.title ?? workloadTitle(own.sets)}
          error={messageAt(verdict.problems, 'title')}
          onChange={({ currentTarget }) => set({ title: currentTarget.value })}
        />
        <TextInput
          label="The workload is saved as"
          description="Other experiments can use it, too"
          maw={420}
          value={outcome.workload?.name ?? ''}
          error={errors.workloadName}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
      </Stack>
    </Stack>
  );
}

interface SetProps {
  readonly at: number;
  readonly set: FlowSet;
  readonly onChange: (set: FlowSet) => void;
  readonly onRemove: () => void;
}

function SetFields({ at, set, onChange, onRemove }: SetProps) {
  const { workloadVerdict } = useForm();
  const first = at === 0;
  const message = (key: string) => messageAt(workloadVerdict.problems, keyAt(at, key));
  // What crosses is no flow: it is never what is compared.
  const kinds = SET_KINDS.filter(({ value }) => !first || value !== 'constant-rate');
  return (
    <Fieldset legend={first ? 'What is compared' : `Beside it, set ${at}`} p="sm">
      <Stack gap="sm">
        <Group align="flex-end" gap="md">
          <Select
            label="Kind"
            w={{ base: '100%', xs: 330 }}
            data={kinds}
            value={set.kind}
            error={message('kind')}
            onChange={(value) => {
              const kind = SET_KINDS.find((one) => one.value === value)?.value;
              if (kind !== undefined) onChange(ofKind(set, kind));
            }}
          />
          <Choice
            label="Direction of the data"
            data={[
              { value: 'down', label: '↓ to the client' },
              { value: 'up', label: '↑ to the server' },
            ]}
            value={set.direction}
            onChange={(direction) => onChange({ ...set, direction: direction === 'up' ? 'up' : 'down' })}
          />
          {set.kind === 'bulk' && (
            <Choice
              label="Each flow ends"
              data={[
                { value: 'size', label: 'with its data' },
                { value: 'duration', label: 'after a time' },
              ]}
              value={set.said.duration === undefined ? 'size' : 'duration'}
              onChange={(end) => onChange(endingBy(set, end === 'size' ? 'size' : 'duration'))}
            />
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {fieldsOf(set, first).map((field) => (
            <Entry
              key={field.key}
              field={field}
              value={set.said[field.key] ?? ''}
              error={message(field.key)}
              onChange={(text) => {
                // A transfer's end stays said while it is being typed.
                const kept = field.key === 'duration' || field.key === 'size';
                onChange(
                  kept
                    ? { ...set, said: { ...set.said, [field.key]: text } }
                    : withSaid(set, field.key, text),
                );
              }}
            />
          ))}
        </SimpleGrid>
        {!first && (
          <Group>
            <Button size="xs" onClick={onRemove}>
              Remove set {at}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

interface EntryProps {
  readonly field: SetField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function Entry({ field, value, error, onChange }: EntryProps) {
  const { variants } = useForm().existing;
  const { label, about, placeholder, entry } = field;
  const common = { label, description: about, placeholder, value, error };
  if (entry === 'variant')
    return (
      <Select
        {...common}
        searchable
        data={[
          { value: '', label: placeholder },
          ...[...new Set([...variants.keys(), value])].filter((name) => name !== ''),
        ]}
        value={value}
        onChange={(name) => onChange(name ?? '')}
      />
    );
  return (
    <TextInput
      {...common}
      {...(entry === 'count' && { inputMode: 'numeric' })}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly data: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One of two, with a label above as fields have it. */
function Choice({ label, data, value, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <Stack gap={4}>
      <Input.Label labelElement="div" id={id}>
        {label}
      </Input.Label>
      <SegmentedControl aria-labelledby={id} data={[...data]} value={value} onChange={onChange} />
    </Stack>
  );
}

/** The engine's words for a workload. */
function Words({ lines }: { readonly lines: readonly string[] }) {
  return <Muted maw="80ch">{lines.join('; ')}</Muted>;
}

function linesOf(resolved: Verdict['resolved'] | undefined): readonly string[] {
  return resolved && 'summary' in resolved ? resolved.summary : [];
}
