import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';

import type { Problem } from '../../api/failure';
import { freshTable } from '../../lib/schema-table';
import { tableProblems, tablesIn, withTable, type PathTables } from '../../link/path-tables';
import type { Direction } from '../../link/script';
import { TableFields } from '../../link/table-fields';
import { Section } from '../../ui/page';
import { Muted } from '../../ui/text';

interface Props {
  readonly toml: string;
  readonly problems: readonly Problem[];
  readonly onChange: (toml: string) => void;
}

const PLACES: Readonly<Record<Direction, string>> = {
  both: 'down and up alike',
  down: 'from server to client',
  up: 'from client to server',
};

/**
 * Queues, service and what else a direction of the link has as a table, as fields. They change the text above, and the text
 * changes them; while it is no TOML they stay as they were, and wait.
 */
export function TablesSection({ toml, problems, onChange }: Props) {
  const now = useMemo(() => tablesIn(toml), [toml]);
  const [last, setLast] = useState<PathTables | null>(now);
  if (now !== null && now !== last) setLast(now);
  const shown = now ?? last;
  if (shown === null || shown.tables.length + shown.absent.length === 0) return null;
  return (
    <Section title="Queue, service and link layer">
      <fieldset className="plain-fieldset" disabled={now === null}>
        <Stack gap="lg">
          {shown.tables.map(({ place, table, said }) => (
            <Stack
              key={`${place}.${table.key}`}
              gap="xs"
              role="group"
              aria-label={`${table.label}, ${PLACES[place]}`}
            >
              <Group gap="xs" align="baseline">
                <Text fw={600}>{table.label}</Text>
                <Muted>{PLACES[place]}</Muted>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  ml="auto"
                  aria-label={`Remove: ${table.label}, ${PLACES[place]}`}
                  onClick={() => onChange(withTable(toml, place, table.key, null))}
                >
                  Remove
                </Button>
              </Group>
              <Muted>{table.about}</Muted>
              <TableFields
                {...{ table, said }}
                wrong={tableProblems(problems, place, table.key)}
                onChange={(changed) => onChange(withTable(toml, place, table.key, changed))}
              />
            </Stack>
          ))}
          {shown.absent.length > 0 && (
            <Menu position="bottom-start" disabled={now === null}>
              <Menu.Target>
                <Button w="fit-content">Add …</Button>
              </Menu.Target>
              <Menu.Dropdown>
                {shown.absent.map(([place, table]) => (
                  <Menu.Item
                    key={`${place}.${table.key}`}
                    onClick={() => onChange(withTable(toml, place, table.key, freshTable(table.kinds[0])))}
                  >
                    {table.label}, {PLACES[place]}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </Stack>
      </fieldset>
    </Section>
  );
}
