import { Accordion, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { TomlTable, TomlValue } from 'smol-toml';

import type { Problem } from '../../api/failure';
import { isTable } from '../../link/script';
import { valueAt, withValue, type Draft } from './draft';
import { ACK_KINDS, TCP_FIELDS, TCP_GROUPS, type TcpField } from './fields';
import { messageAt, problemsAt } from './documents';

interface Props {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly problems: readonly Problem[];
}

/** Settings laid over every variant. Most experiments need none of them. */
export function TcpSection({ draft, change, problems }: Props) {
  const at = (path: string) => valueAt(draft.rest, `tcp.${path}`);
  const set = (path: string, value: TomlValue | undefined) => {
    change({ rest: withValue(draft.rest, `tcp.${path}`, value) });
  };
  const paths = [...TCP_FIELDS.map(({ path }) => path), 'delayed_ack'];
  const said = paths.filter((path) => at(path) !== undefined).length;
  const wrong = problemsAt(problems, 'tcp').length > 0;
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="tcp">
        <Accordion.Control>
          <Text fw={600}>TCP settings</Text>
          <Text size="sm" c={wrong ? 'var(--mantine-color-error)' : 'dimmed'}>
            {wrong
              ? 'Some values here are not valid'
              : said === 0
                ? 'As in each variant; settings made here override all of them'
                : `${said} for every variant`}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xl">
            {TCP_GROUPS.map(({ subject, fields }) => (
              <Group key={subject} subject={subject}>
                {fields.map((field) => (
                  <Field
                    key={field.path}
                    field={field}
                    value={at(field.path)}
                    error={messageAt(problems, `tcp.${field.path}`)}
                    onChange={(value) => set(field.path, value)}
                  />
                ))}
              </Group>
            ))}
            <Group subject="Delayed acknowledgements">
              <DelayedAck
                value={at('delayed_ack')}
                problems={problems}
                onChange={(value) => set('delayed_ack', value)}
              />
            </Group>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function Group({ subject, children }: { readonly subject: string; readonly children: ReactNode }) {
  return (
    <Stack component="fieldset" gap="xs" className="plain-fieldset">
      <Text component="legend" size="sm" fw={600} mb="xs">
        {subject}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>{children}</SimpleGrid>
    </Stack>
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
  if (kind === 'switch' || kind === 'choice') {
    const choices = field.choices ?? SWITCH;
    const said =
      value === undefined ? '' : typeof value === 'boolean' || typeof value === 'string' ? String(value) : '';
    // A word that is none stays on show, beside what is wrong with it.
    const unknown = said !== '' && choices.every(([word]) => word !== said) ? [[said, said] as const] : [];
    return (
      <Select
        label={label}
        description={about}
        data={[
          { value: '', label: `Default (${usual})` },
          ...[...choices, ...unknown].map(([word, words]) => ({ value: word, label: words })),
        ]}
        allowDeselect={false}
        value={said}
        error={error}
        onChange={(chosen) => {
          const word = chosen === null || chosen === '' ? undefined : chosen;
          onChange(kind === 'switch' && word !== undefined ? word === 'true' : word);
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

const SWITCH = [
  ['true', 'On'],
  ['false', 'Off'],
] as const;

interface AckProps {
  readonly value: TomlValue | undefined;
  readonly problems: readonly Problem[];
  readonly onChange: (value: TomlTable | undefined) => void;
}

function DelayedAck({ value, problems, onChange }: AckProps) {
  const table = isTable(value) ? (value as TomlTable) : {};
  const kind = typeof table['kind'] === 'string' ? table['kind'] : '';
  const needs = ACK_KINDS.find((one) => one.value === kind)?.needs ?? [];
  const whole = problemsAt(problems, 'tcp.delayed_ack').find(
    ({ key }) => !needs.some((need) => key === `tcp.delayed_ack.${need.key}`),
  );
  return (
    <>
      <Select
        label="Acknowledgements"
        description="of data in order"
        data={[{ value: '', label: 'Default (at once)' }, ...ACK_KINDS]}
        allowDeselect={false}
        value={kind}
        error={whole?.message}
        onChange={(chosen) => {
          const told = ACK_KINDS.find((one) => one.value === chosen);
          const fresh = told?.needs.map((need) => [need.key, need.fresh] as const) ?? [];
          onChange(told && { kind: told.value, ...Object.fromEntries(fresh) });
        }}
      />
      {needs.map((need) => {
        const said = table[need.key];
        return (
          <TextInput
            key={need.key}
            label={need.label}
            description="at most 500 ms"
            value={typeof said === 'string' ? said : ''}
            error={messageAt(problems, `tcp.delayed_ack.${need.key}`)}
            onChange={({ currentTarget }) => onChange({ ...table, [need.key]: currentTarget.value })}
          />
        );
      })}
    </>
  );
}
