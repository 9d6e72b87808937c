import { Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

import { Muted, Wrong } from './text';

interface Props {
  readonly step: number;
  readonly title: string;
  readonly about: ReactNode;
  /** What is wrong with the part as a whole. */
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** A part of a form, with its number. */
export function FormSection({ step, title, about, error, children }: Props) {
  const id = useId();
  return (
    <Paper component="section" withBorder p={{ base: 'sm', sm: 'md' }} aria-labelledby={id}>
      <Stack gap="md">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <ThemeIcon radius="xl" size={28} variant="filled" aria-hidden>
            <Text size="sm" fw={700} span>
              {step}
            </Text>
          </ThemeIcon>
          <Stack gap={0}>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            <Muted>{about}</Muted>
          </Stack>
        </Group>
        {error !== undefined && <Wrong role="alert">{error}</Wrong>}
        {children}
      </Stack>
    </Paper>
  );
}
