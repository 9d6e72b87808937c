import {
  ActionIcon,
  Box,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState, type ChangeEvent, type ReactNode } from 'react';
import type { TomlTable, TomlValue } from 'smol-toml';

import { isRecord } from '../lib/json';
import { freshRow, type FormTable, type TableField } from '../lib/schema-table';
import { SignButton } from '../ui/buttons';
import { Muted, Wrong } from '../ui/text';
import { heldKind, isPlain, ofKind, valueOf, withField } from './fields';

interface Props {
  readonly table: FormTable;
  /** What it says; of a kind that a form can hold. */
  readonly said: TomlTable;
  /** What is wrong, by key; '' is the table as a whole. */
  readonly wrong: Readonly<Record<string, string>>;
  /** What its kind is called, if not as the table. */
  readonly kindLabel?: string;
  /** `field`: what was typed in, if it was typed. */
  readonly onChange: (said: TomlTable, field?: string) => void;
}

/** Words of one line and of two below their fields, so that the fields are in line. */
export const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'error',
  'description',
];

const isWide = ({ type }: TableField) => type === 'rows' || type === 'numbers' || type === 'lines';

/** A table's kind, if there are several, and its keys. An empty field stands for what its placeholder says. */
export function TableFields({ table, said, wrong, kindLabel = table.label, onChange }: Props) {
  const { kinds } = table;
  const kind = heldKind(table, said);
  if (kind === null) return null;
  const field = (one: TableField) => (
    <SchemaField
      key={one.key}
      field={one}
      value={said[one.key] as TomlValue | undefined}
      wrong={wrong}
      onChange={(value, typed) => onChange(withField(said, one, value), typed ? one.key : undefined)}
    />
  );
  const short = kind.fields.filter((one) => one.type !== 'switch' && !isWide(one));
  const general = wrong[''] as string | undefined;
  return (
    <Stack gap="sm">
      {(short.length > 0 || kinds.length > 1) && (
        <SimpleGrid cols={{ base: 1, xs: 2, xl: 3 }}>
          {kinds.length > 1 && (
            <Select
              label={kindLabel}
              description={kind.about}
              inputWrapperOrder={ORDER}
              data={kinds.map((one) => ({ value: one.name, label: one.label }))}
              allowDeselect={false}
              value={kind.name}
              error={wrong['kind'] ?? general}
              onChange={(name) => {
                const chosen = kinds.find((one) => one.name === name);
                if (chosen !== undefined) onChange(ofKind(said, chosen));
              }}
            />
          )}
          {short.map(field)}
        </SimpleGrid>
      )}
      {kinds.length === 1 && general !== undefined && <Wrong role="alert">{general}</Wrong>}
      {kind.fields.filter(isWide).map(field)}
      {kind.fields.filter(({ type }) => type === 'switch').map(field)}
    </Stack>
  );
}

interface FieldProps {
  readonly field: TableField;
  readonly value: TomlValue | undefined;
  /** What is wrong, by key. */
  readonly wrong: Readonly<Record<string, string>>;
  /** In place of what the schema has for a key that is not said. */
  readonly hint?: string | undefined;
  /** `typed`: a letter more or less, as there may be many of. */
  readonly onChange: (value: TomlValue | undefined, typed: boolean) => void;
}

/** A key of a table as a field, after the schema. */
export function SchemaField({ field, value, wrong, hint = field.hint, onChange }: FieldProps) {
  const { key, label, about, required, type, choices = [] } = field;
  const error = wrong[key] as string | undefined;
  const said = { label, description: about, inputWrapperOrder: ORDER, required, error };
  const typed = {
    ...said,
    placeholder: hint,
    value: isPlain(value) || typeof value === 'bigint' ? String(value) : '',
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange(valueOf(field, currentTarget.value), true),
  };
  switch (type) {
    case 'switch':
      return (
        <Switch
          {...{ label, description: about, error }}
          checked={typeof value === 'boolean' ? value : field.isOn}
          onChange={({ currentTarget }) => onChange(valueOf(field, currentTarget.checked), false)}
        />
      );
    case 'choice': {
      const word = typeof value === 'string' ? value : '';
      const known = word === '' || choices.some((one) => one.value === word);
      const chosen = choices.find((one) => one.value === word);
      return (
        <Select
          {...said}
          description={chosen?.about ?? about}
          allowDeselect={false}
          data={[
            ...(required ? [] : [{ value: '', label: hint === '' ? 'Not said' : `Default (${hint})` }]),
            ...choices.map((one) => ({ value: one.value, label: one.label })),
            // A word that is none stays on show, beside what is wrong with it.
            ...(known ? [] : [{ value: word, label: word }]),
          ]}
          value={word}
          onChange={(next) => onChange(next === null || next === '' ? undefined : next, false)}
        />
      );
    }
    case 'lines':
      return <Textarea autosize minRows={1} maxRows={8} {...typed} />;
    case 'rows':
      return <Rows {...{ field, wrong, onChange }} rows={Array.isArray(value) ? value : []} />;
    case 'numbers':
      return <Numbers {...{ field, error, onChange }} numbers={Array.isArray(value) ? value : []} />;
    case 'count':
      return <TextInput {...typed} inputMode="numeric" />;
    case 'text':
      return <TextInput {...typed} />;
  }
}

interface RowsProps extends Pick<FieldProps, 'field' | 'wrong' | 'onChange'> {
  readonly rows: readonly TomlValue[];
}

/** A list of small tables, a line each. */
function Rows({ field: { key, label, about, fields = [] }, rows, wrong, onChange }: RowsProps) {
  const at = (i: number, row: TomlTable | null) => {
    const next = rows.flatMap((old, place) => (place === i ? (row === null ? [] : [row]) : [old]));
    return next.length === 0 ? undefined : next;
  };
  return (
    <FieldGroup label={label} about={about} error={wrong[key]}>
      {rows.length > 0 && (
        <Group gap="xs" pr={40} aria-hidden>
          {fields.map((one) => (
            <Muted key={one.key} size="xs" flex={1}>
              {one.label}
            </Muted>
          ))}
        </Group>
      )}
      {rows.map((row, i) => (
        <Group key={i} gap="xs" align="flex-start" wrap="nowrap">
          {fields.map((one) => (
            <TextInput
              key={one.key}
              flex={1}
              size="xs"
              aria-label={`${one.label}, ${label.toLowerCase()} ${i + 1}`}
              placeholder={one.hint}
              value={isRecord(row) && isPlain(row[one.key]) ? String(row[one.key] as string | number) : ''}
              error={
                wrong[`${key}[${i}].${one.key}`] ?? (one === fields[0] ? wrong[`${key}[${i}]`] : undefined)
              }
              onChange={({ currentTarget }) =>
                onChange(at(i, { ...(row as TomlTable), [one.key]: currentTarget.value }), true)
              }
            />
          ))}
          <ActionIcon
            variant="subtle"
            size={30}
            aria-label={`Remove ${label.toLowerCase()} ${i + 1}`}
            onClick={() => onChange(at(i, null), false)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <SignButton
        size="compact-xs"
        sign={IconPlus}
        style={{ alignSelf: 'flex-start' }}
        onClick={() =>
          onChange([...rows, { ...freshRow(fields), ...(rows.at(-1) as TomlTable | undefined) }], false)
        }
      >
        Add a row
      </SignButton>
    </FieldGroup>
  );
}

interface NumbersProps extends Pick<FieldProps, 'field' | 'onChange'> {
  readonly numbers: readonly TomlValue[];
  readonly error: string | undefined;
}

/** Whole numbers with spaces between. What is typed becomes the list once it is one. */
function Numbers({ field: { label, about }, numbers, error, onChange }: NumbersProps) {
  const now = numbers.map(String).join(' ');
  const [draft, setDraft] = useState<{ readonly of: string; readonly text: string } | null>(null);
  const text = draft?.of === now ? draft.text : now;
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const good = words.every((word) => /^\d{1,15}$/.test(word));
  return (
    <Textarea
      autosize
      minRows={2}
      maxRows={8}
      label={label}
      description={about}
      inputWrapperOrder={ORDER}
      value={text}
      error={good ? error : 'Whole numbers, with spaces between.'}
      onChange={({ currentTarget: { value } }) => {
        const parts = value.split(/[\s,]+/).filter((word) => word !== '');
        const whole = parts.every((word) => /^\d{1,15}$/.test(word));
        setDraft({ of: whole ? parts.map((word) => String(Number(word))).join(' ') : now, text: value });
        if (whole) onChange(parts.length === 0 ? undefined : parts.map(Number), true);
      }}
    />
  );
}

interface GroupProps {
  readonly label: string;
  readonly about: string;
  readonly error: string | undefined;
  readonly children: ReactNode;
}

/** Several fields under one label. */
export function FieldGroup({ label, about, error, children }: GroupProps) {
  return (
    <Stack component="fieldset" gap={6} className="plain-fieldset">
      <Box component="legend" p={0} mb={4}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Muted size="xs">{about}</Muted>
      </Box>
      {children}
      {error !== undefined && <Wrong role="alert">{error}</Wrong>}
    </Stack>
  );
}
