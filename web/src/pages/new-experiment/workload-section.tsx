import { Radio, SegmentedControl, Stack, Text, TextInput, Group } from '@mantine/core';

import { DocumentSelect } from '../../ui/document-select';
import type { Draft } from './draft';
import { Section } from './section';
import type { FieldErrors, Outcome } from './settle';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly outcome: Outcome;
  readonly workloads: ReadonlyMap<string, string>;
  readonly errors: FieldErrors;
}

/** What is transferred. */
export function WorkloadSection({ draft, change, outcome, workloads, errors }: Props) {
  const own = draft.ownWorkload;
  return (
    <Section step={3} title="Workload" about="What is transferred: one connection, as fast as it can.">
      <Radio.Group
        aria-label="Which workload"
        value={own ? 'own' : 'named'}
        onChange={(value) => {
          change({ ownWorkload: value === 'own' ? (own ?? { size: '100 KiB', direction: 'down' }) : null });
        }}
      >
        <Group gap="lg">
          <Radio value="named" label="One that is there" />
          <Radio value="own" label="A size of your own" />
        </Group>
      </Radio.Group>
      {own ? (
        <Group align="flex-start" gap="md">
          <TextInput
            label="Size"
            placeholder="100 KiB"
            value={own.size}
            error={errors.size}
            onChange={({ currentTarget }) => {
              change({ ownWorkload: { ...own, size: currentTarget.value } });
            }}
          />
          <Stack gap={2}>
            <Text size="sm" fw={500} aria-hidden>
              Direction of the data
            </Text>
            <SegmentedControl
              aria-label="Direction of the data"
              data={[
                { value: 'down', label: '↓ server to client' },
                { value: 'up', label: '↑ client to server' },
              ]}
              value={own.direction}
              onChange={(direction) => {
                change({ ownWorkload: { ...own, direction: direction === 'up' ? 'up' : 'down' } });
              }}
            />
          </Stack>
          {outcome.workload && (
            <Text size="sm" c="dimmed" mt={30}>
              Kept as the workload {outcome.workload.name}.
            </Text>
          )}
        </Group>
      ) : (
        <DocumentSelect
          label="Workload"
          documents={workloads}
          value={draft.workload}
          error={errors.workload}
          onChange={(workload) => {
            change({ workload });
          }}
        />
      )}
    </Section>
  );
}
