import { Select, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { TomlTable } from 'smol-toml';

import type { TableField } from '../lib/schema-table';
import { heldKind, ofKind, withField, type PathTable } from './path-tables';

interface Props {
  readonly table: PathTable;
  /** What it says; of a kind that a form can hold. */
  readonly said: TomlTable;
  /** What is wrong, by key; '' is the table as a whole. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly onChange: (said: TomlTable) => void;
}

/** Words of one line and of two below their fields, so that the fields are in line. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** A table's kind, if there are several, and its keys. An empty field stands for what its placeholder says. */
export function TableFields({ table, said, wrong, onChange }: Props) {
  const { kinds, label } = table;
  const kind = heldKind(table, said);
  if (kind === null) return null;
  const switches = kind.fields.filter(({ type }) => type === 'switch');
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {kinds.length > 1 && (
          <Select
            label={label}
            description={kind.about}
            inputWrapperOrder={ORDER}
            data={kinds.map((one) => ({ value: one.name, label: one.label }))}
            value={kind.name}
            error={wrong['kind'] ?? wrong['']}
            onChange={(name) => {
              const chosen = kinds.find((one) => one.name === name);
              if (chosen !== undefined) onChange(ofKind(said, chosen));
            }}
          />
        )}
        {kind.fields
          .filter(({ type }) => type !== 'switch')
          .map((field) => (
            <Field
              key={field.key}
              field={field}
              value={field.key in said ? String(said[field.key] as string | number) : ''}
              error={wrong[field.key]}
              onChange={(text) => onChange(withField(said, field, text))}
            />
          ))}
      </SimpleGrid>
      {switches.map((field) => (
        <Switch
          key={field.key}
          label={field.label}
          description={field.about}
          checked={field.key in said ? said[field.key] === true : field.isOn}
          error={wrong[field.key]}
          onChange={(event) => onChange(withField(said, field, event.currentTarget.checked))}
        />
      ))}
    </Stack>
  );
}

interface FieldProps {
  readonly field: TableField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function Field({ field: { label, about, hint, required, type }, value, error, onChange }: FieldProps) {
  const said = {
    ...{ label, description: about, inputWrapperOrder: ORDER, placeholder: hint, required, value, error },
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  return type === 'lines' ? (
    <Textarea autosize minRows={2} maxRows={8} {...said} />
  ) : (
    <TextInput {...said} {...(type === 'count' && { inputMode: 'numeric' })} />
  );
}
