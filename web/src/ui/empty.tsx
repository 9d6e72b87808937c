import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** What is not there, as `No runs yet`. */
  readonly title: string;
  /** How to get it. */
  readonly children: ReactNode;
  /** The one thing to do next: a button. */
  readonly action?: ReactNode;
}

/** What stands where there is nothing yet: why, and what to do about it. */
export function Empty({ title, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw="60ch">
        {children}
      </Text>
      {action}
    </Stack>
  );
}
