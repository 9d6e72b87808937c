import { Button, Kbd, Popover, Table } from '@mantine/core';
import { IconKeyboard } from '@tabler/icons-react';
import { Row } from './table';

interface Props {
  /** Each key, or several of a kind, and what it does. */
  readonly keys: readonly (readonly [string, string])[];
}

/** What keys do on a page. */
export function Keys({ keys }: Props) {
  return (
    <Popover position="bottom-end" withArrow trapFocus={false}>
      <Popover.Target>
        <Button size="xs" leftSection={<IconKeyboard size={16} aria-hidden />}>
          Keys
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Keys of this page">
        <Table verticalSpacing={3} withRowBorders={false}>
          <Table.Tbody>
            {keys.map(([key, does]) => (
              <Row
                key={key}
                head={key.split(' ').map((one) => (
                  <Kbd key={one} mr={3}>
                    {one}
                  </Kbd>
                ))}
                bold
                cells={[does]}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}
