import { Accordion, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import { valueAt, withValue, type Draft } from './draft';
import { TCP_FIELDS, type TcpField } from './fields';
import { messageAt, problemsAt } from './settle';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly problems: readonly Problem[];
}

/** Settings laid over every variant. Most experiments need none of them. */
export function TcpSection({ draft, change, problems }: Props) {
  const set = (path: string, value: TomlValue | undefined) => {
    change({ rest: withValue(draft.rest, `tcp.${path}`, value) });
  };
  const said = Object.keys((draft.rest['tcp'] ?? {}) as object).length;
  const wrong = problemsAt(problems, 'tcp').length > 0;
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="tcp">
        <Accordion.Control>
          <Text fw={600}>TCP settings</Text>
          <Text size="sm" c={wrong ? 'var(--mantine-color-error)' : 'dimmed'}>
            {wrong
              ? 'Something here is not right'
              : said === 0
                ? 'As each variant has them; anything said here is laid over all of them'
                : `${said} laid over every variant`}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
              {TCP_FIELDS.map((field) => (
                <Field
                  key={field.path}
                  field={field}
                  value={valueAt(draft.rest, `tcp.${field.path}`)}
                  error={messageAt(problems, `tcp.${field.path}`)}
                  onChange={(value) => {
                    set(field.path, value);
                  }}
                />
              ))}
              <DelayedAck
                value={valueAt(draft.rest, 'tcp.delayed_ack')}
                error={messageAt(problems, 'tcp.delayed_ack')}
                onChange={(value) => {
                  set('delayed_ack', value);
                }}
              />
            </SimpleGrid>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

interface FieldProps {
  readonly field: TcpField;
  readonly value: TomlValue | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: TomlValue | undefined) => void;
}

function Field({ field, value, error, onChange }: FieldProps) {
  const { label, about, kind, usual } = field;
  if (kind === 'switch') {
    return (
      <Select
        label={label}
        description={about}
        data={[
          { value: '', label: `Not said (${usual})` },
          { value: 'true', label: 'On' },
          { value: 'false', label: 'Off' },
        ]}
        allowDeselect={false}
        value={typeof value === 'boolean' ? String(value) : ''}
        error={error}
        onChange={(chosen) => {
          onChange(chosen === 'true' ? true : chosen === 'false' ? false : undefined);
        }}
      />
    );
  }
  return (
    <TextInput
      label={label}
      description={about}
      placeholder={usual}
      {...(kind === 'count' && { inputMode: 'numeric' })}
      value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
      error={error}
      onChange={({ currentTarget: { value: text } }) => {
        if (text === '') onChange(undefined);
        else onChange(kind === 'count' && /^\d{1,9}$/.test(text) ? Number(text) : text);
      }}
    />
  );
}

const EVERY_SECOND = { kind: 'every-second', timer: '200 ms' };

function DelayedAck({ value, error, onChange }: Omit<FieldProps, 'field'>) {
  const table =
    typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, TomlValue>) : null;
  const kind = typeof table?.['kind'] === 'string' ? table['kind'] : '';
  const timer = table?.['timer'];
  return (
    <>
      <Select
        label="Acknowledgements"
        description="of data in order"
        data={[
          { value: '', label: 'Not said (at once)' },
          { value: 'none', label: 'At once' },
          { value: 'every-second', label: 'Every second segment' },
        ]}
        allowDeselect={false}
        value={kind}
        error={kind === 'every-second' ? undefined : error}
        onChange={(chosen) => {
          onChange(
            chosen === 'every-second' ? EVERY_SECOND : chosen === 'none' ? { kind: 'none' } : undefined,
          );
        }}
      />
      {kind === 'every-second' && (
        <TextInput
          label="… or after"
          description="at most 500 ms"
          value={typeof timer === 'string' ? timer : ''}
          error={error}
          onChange={({ currentTarget }) => {
            onChange({ kind, timer: currentTarget.value });
          }}
        />
      )}
    </>
  );
}
