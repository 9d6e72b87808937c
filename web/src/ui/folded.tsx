import { Accordion, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly id: string;
  readonly title: string;
  /** What is in it, in a line. */
  readonly about: string;
  /** Whether something in it is wrong. */
  readonly wrong?: boolean;
  /** Whether it is open at first. */
  readonly opened?: boolean;
  readonly children: ReactNode;
}

/** A part of a form that is seldom needed: folded at first. */
export function Folded({ id, title, about, wrong = false, opened = false, children }: Props) {
  return (
    <Accordion variant="contained" order={2} defaultValue={opened ? id : null}>
      <Accordion.Item value={id}>
        <Accordion.Control>
          <Text fw={600}>{title}</Text>
          <Text size="sm" c={wrong ? 'var(--mantine-color-error)' : 'dimmed'}>
            {wrong ? 'Some values here are not valid' : about}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>{children}</Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
