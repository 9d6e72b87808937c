import { Button, Group, List, Stack, Text } from '@mantine/core';

import { Wrong } from '../ui/text';
import { describe } from './kinds';
import { isTimed, type ScriptEvent } from './script';

interface Props {
  readonly events: readonly ScriptEvent[];
  readonly fixed: readonly ScriptEvent[];
  readonly fixedFrom: string;
  readonly wrong: ReadonlyMap<number, string>;
  readonly onEdit: (id: number) => void;
  readonly onRemove: (id: number) => void;
}

/** Events that wait for packets: nobody knows their instant before there is traffic. */
export function Untimed({ events, fixed, fixedFrom, wrong, onEdit, onRemove }: Props) {
  const own = events.filter((event) => !isTimed(event));
  const others = fixed.filter((event) => !isTimed(event));
  if (own.length + others.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        Tied to packets, not to times
      </Text>
      <List size="sm" spacing={4} aria-label="Events tied to packets">
        {others.map((event) => (
          <List.Item key={`fixed ${event.id}`}>
            {describe(event)} (of {fixedFrom})
          </List.Item>
        ))}
        {own.map((event) => (
          <List.Item key={event.id}>
            <Group gap="xs">
              <span>{describe(event)}</span>
              <Button
                size="compact-xs"
                aria-label={`Edit ${describe(event)}`}
                onClick={() => onEdit(event.id)}
              >
                Edit
              </Button>
              <Button
                size="compact-xs"
                aria-label={`Delete ${describe(event)}`}
                onClick={() => onRemove(event.id)}
              >
                Delete
              </Button>
              {wrong.has(event.id) && <Wrong>{wrong.get(event.id)}</Wrong>}
            </Group>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
