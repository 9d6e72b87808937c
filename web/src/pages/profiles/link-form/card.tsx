import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

import { Muted } from '../../../ui/text';

interface Props {
  readonly title: string;
  /** What tells it from others of the same title, for those who hear the page. */
  readonly of?: string;
  readonly about?: string;
  /** Beside the title. */
  readonly beside?: ReactNode;
  readonly onRemove?: () => void;
  readonly children: ReactNode;
}

/** A table of the link, or a part of one, in a frame of its own. */
export function Card({ title, of = '', about, beside, onRemove, children }: Props) {
  const name = of === '' ? title : `${title}, ${of}`;
  return (
    <Paper withBorder p="sm" role="group" aria-label={name} className="link-card">
      <Stack gap="sm">
        <Stack gap={2}>
          <Group gap="xs" justify="space-between">
            <Group gap="sm">
              <Title order={3} size="h6">
                {title}
              </Title>
              {beside}
            </Group>
            {onRemove && (
              <Button size="compact-xs" variant="subtle" aria-label={`Remove: ${name}`} onClick={onRemove}>
                Remove
              </Button>
            )}
          </Group>
          {about !== undefined && <Muted size="xs">{about}</Muted>}
        </Stack>
        {children}
      </Stack>
    </Paper>
  );
}

/** In place of fields, where the text says what they could not show. */
export const TextAlone = () => (
  <Muted>
    It says something that has no field, or is too long for one; it stays as it is. Edit it under TOML.
  </Muted>
);
