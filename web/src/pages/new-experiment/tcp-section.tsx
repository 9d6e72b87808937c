import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { TomlValue } from 'smol-toml';

import { freshTable } from '../../lib/schema-table';
import { countOf } from '../../lib/toml-edit';
import { textOf } from '../../lib/values';
import { DELAYED_ACK, TCP_FIELDS, TCP_GROUPS, type TcpField } from './fields';
import { problemsAt } from '../../api/problems';
import { Folded } from '../../ui/folded';
import { useForm, withInheritedChoice } from './use-form';

/** Settings laid over every variant. Most experiments need none of them. */
export function TcpSection() {
  const { own, below, set, message, problems } = useForm();
  const paths = [...TCP_FIELDS.map(({ path }) => path), 'delayed_ack'];
  const said = paths.filter((path) => own(`tcp.${path}`) !== undefined).length;
  const inherited = paths.filter((path) => below(`tcp.${path}`) !== undefined).length;
  const wrong = problemsAt(problems, 'tcp').length > 0;
  return (
    <Folded
      id="tcp"
      title="TCP settings"
      about={
        said + inherited === 0
          ? 'As in each variant; settings made here override all of them'
          : [
              ...(said > 0 ? [`${said} for every variant`] : []),
              ...(inherited > 0 ? [`${inherited} inherited`] : []),
            ].join(', ')
      }
      wrong={wrong}
    >
      <Stack gap="xl">
        {TCP_GROUPS.map(({ subject, fields }) => (
          <Group key={subject} subject={subject}>
            {fields.map((field) => (
              <Field
                key={field.path}
                field={field}
                value={own(`tcp.${field.path}`)}
                error={message(`tcp.${field.path}`)}
                onChange={(value) => set(`tcp.${field.path}`, value)}
              />
            ))}
          </Group>
        ))}
        <Group subject="Delayed acknowledgements">
          <DelayedAck />
        </Group>
      </Stack>
    </Folded>
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
  const { below, marked } = useForm();
  const { label, about, kind, usual } = field;
  const path = `tcp.${field.path}`;
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
        {...marked(path)}
        data={withInheritedChoice(
          [
            { value: '', label: `Default (${usual})` },
            ...[...choices, ...unknown].map(([word, words]) => ({ value: word, label: words })),
          ],
          below(path),
        )}
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
      {...marked(path)}
      placeholder={textOf(below(path)) || usual}
      {...(kind === 'count' && { inputMode: 'numeric' })}
      value={textOf(value)}
      error={error}
      onChange={({ currentTarget: { value: text } }) => {
        if (text === '') onChange(undefined);
        else onChange(kind === 'count' ? countOf(text) : text);
      }}
    />
  );
}

const SWITCH = [
  ['true', 'On'],
  ['false', 'Off'],
] as const;

function DelayedAck() {
  const { at, set, typed, chosen, message, problems } = useForm();
  const { kinds, usual } = DELAYED_ACK;
  const named = (name: unknown) => kinds.find((one) => one.name === name);
  const kind = named(at('tcp.delayed_ack.kind'));
  const fields = kind?.fields ?? [];
  const whole = problemsAt(problems, 'tcp.delayed_ack').find(
    ({ key }) => !fields.some((field) => key === `tcp.delayed_ack.${field.key}`),
  );
  const choices = kinds.map(({ name, label }) => ({ value: name, label }));
  return (
    <>
      <Select
        label="Acknowledgements"
        description={kind?.about ?? 'of data in order'}
        {...chosen('tcp.delayed_ack.kind', [
          { value: '', label: `Default (${named(usual)?.label ?? usual})` },
          ...choices,
        ])}
        error={whole?.message}
        onChange={(name) => {
          const other = named(name);
          set('tcp.delayed_ack', other && freshTable(other));
        }}
      />
      {fields.map(({ key, label, about }) => (
        <TextInput
          key={key}
          label={label}
          description={about}
          {...typed(`tcp.delayed_ack.${key}`)}
          error={message(`tcp.delayed_ack.${key}`)}
        />
      ))}
    </>
  );
}
