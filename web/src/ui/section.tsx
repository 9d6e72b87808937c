import { Stack, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Where links to it point. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** A part of a page under a heading of its own. */
export function Section({ title, id: anchor, children }: Props) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" {...(anchor !== undefined && { id: anchor })} aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
