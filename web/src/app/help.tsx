import { Kbd, Modal, Stack, Switch, Table, Title } from '@mantine/core';

import { Muted } from '../ui/text';
import { KEYS } from './keys';
import { Opening, useOpened } from './opening';

/** The dialogue with all keys. */
export const help = new Opening();

interface Props {
  readonly letters: boolean;
  readonly onLetters: (letters: boolean) => void;
}

/** All keys, and whether letters of the whole page are wanted at all: speech input and trembling hands type them unasked. */
export function Help({ letters, onLetters }: Props) {
  const opened = useOpened(help);
  return (
    <Modal opened={opened} onClose={help.close} title="Keys" size="lg">
      <Stack gap="lg">
        <Switch
          label="Letter keys work everywhere except in text fields"
          description="Without them, Tab, Ctrl K and the links still reach everything."
          checked={letters}
          onChange={(event) => onLetters(event.currentTarget.checked)}
        />
        {KEYS.map(({ title, letters: single, keys }) => (
          <section key={title} aria-label={title}>
            <Title order={3} size="h5" mb={4}>
              {title}
            </Title>
            {single && !letters && <Muted mb={4}>Turned off.</Muted>}
            <Table verticalSpacing={4}>
              <Table.Tbody>
                {keys.map(([press, meaning]) => (
                  <Table.Tr key={press}>
                    <Table.Th scope="row" w="8rem" fw={400} style={{ whiteSpace: 'nowrap' }}>
                      {press.split(' ').map((key, i) => (
                        <span key={i}>
                          {i > 0 && ' '}
                          <Kbd>{key}</Kbd>
                        </span>
                      ))}
                    </Table.Th>
                    <Table.Td>{meaning}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        ))}
      </Stack>
    </Modal>
  );
}
