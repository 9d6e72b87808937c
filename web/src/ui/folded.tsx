import { Accordion, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Props {
  readonly id: string;
  readonly title: string;
  /** What is in it, in a line. */
  readonly about: string;
  /** Whether something in it is wrong; it opens then. */
  readonly wrong?: boolean;
  /** Whether it is open at first. */
  readonly opened?: boolean;
  readonly children: ReactNode;
}

/** A part of a form that is seldom needed: folded at first, until something in it is wrong. */
export function Folded({ id, title, about, wrong = false, opened = false, children }: Props) {
  const [shown, setShown] = useState<string | null>(opened || wrong ? id : null);
  const [wasWrong, setWasWrong] = useState(wrong);
  if (wrong !== wasWrong) {
    setWasWrong(wrong);
    if (wrong) setShown(id);
  }
  return (
    <Accordion variant="contained" order={2} value={shown} onChange={setShown}>
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
