import { Button, Group, Stack, Text } from '@mantine/core';
import type { TomlTable, TomlValue } from 'smol-toml';

import { isRecord, list, text } from '../../../lib/json';
import { freshImpairment, IMPAIRMENT } from '../../../link/fields';
import { FormSection } from '../../../ui/form-section';
import { Muted } from '../../../ui/text';
import { impairments } from '../resolved';
import { AddMenu } from './add-menu';
import { TableCard } from './table-card';
import { useLink } from './use-link';

const KINDS = IMPAIRMENT.kinds.map((kind) => ({
  key: kind.name,
  label: kind.label,
  about: kind.about,
  kind,
}));

/** Random processes on the link: those of its own, and those that it inherits. */
export function ImpairmentsSection() {
  const { at, set, base } = useLink();
  const own = list(at('impairment')) as readonly TomlValue[];
  const names = own.map((one) => (isRecord(one) ? one['name'] : undefined));
  const below = list(base?.table['impairment']) as readonly TomlTable[];
  const left = below.filter(({ name }) => !names.includes(name));
  const taken = [...names, ...below.map(({ name }) => name)];
  return (
    <FormSection step={3} title="Impairments" about={IMPAIRMENT.about}>
      {own.map((said, i) => {
        const name = isRecord(said) ? text(said['name']) : '';
        return (
          <TableCard
            key={i}
            table={IMPAIRMENT}
            path={['impairment', i]}
            title={name === '' ? `Impairment ${i + 1}` : name}
            of={name === '' ? '' : 'impairment'}
            kindLabel="Kind"
          />
        );
      })}
      {left.length > 0 && base !== null && (
        <Stack gap={4} role="group" aria-label={`Impairments of ${base.name}`}>
          <Text size="sm" fw={600}>
            From {base.name}
          </Text>
          {left.map((one) => (
            <Group key={text(one['name'])} gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
              <Muted>{inWords(one)}</Muted>
              <Button
                size="compact-xs"
                style={{ flexShrink: 0 }}
                aria-label={`Change here: ${text(one['name'])}`}
                onClick={() => set(['impairment', own.length], one)}
              >
                Change here
              </Button>
            </Group>
          ))}
        </Stack>
      )}
      <AddMenu
        label="Add an impairment"
        choices={KINDS}
        onAdd={({ kind }) => set(['impairment', own.length], freshImpairment(kind, taken))}
      />
    </FormSection>
  );
}

function inWords(one: TomlTable): string {
  const [{ name, kind, where, details }] = impairments({ impairment: [one] });
  return `${name}: ${[kind, where, details].filter((part) => part !== '').join(', ')}`;
}
