import { Radio, Table, Text } from '@mantine/core';
import { useId } from 'react';

import type { Schema } from '../../api/client';
import { formatInstant, formatOctets, formatTime, groupThousands } from '../../lib/format';
import { WideTable } from '../../ui/wide-table';
import { Heads, numeric } from '../../ui/heads';

type Listed = Schema<'ListedConnection'>;

interface Props {
  readonly list: Schema<'ConnectionList'>;
  readonly chosen: number | null;
  readonly onChoose: (number: number) => void;
}

/** The TCP connections of a capture, one of which is chosen. */
export function ConnectionList({ list, chosen, onChoose }: Props) {
  const name = useId();
  const { connections, total } = list;
  const both = connections.some(({ in_second }) => in_second !== null);
  return (
    <>
      <WideTable label="TCP connections" minWidth={640} maxHeight={360}>
        <Table verticalSpacing={4} highlightOnHover aria-label="TCP connections with data">
          <Heads
            of={[
              'Connection',
              numeric('Sent'),
              numeric('Received'),
              numeric('Packets'),
              numeric('Began'),
              numeric('Duration'),
              both && 'Both ends',
            ]}
          />
          <Table.Tbody>
            {connections.map((one) => (
              <Table.Tr key={one.number}>
                <Table.Td>
                  <Radio
                    name={name}
                    size="xs"
                    label={endsOf(one)}
                    checked={one.number === chosen}
                    onChange={() => onChoose(one.number)}
                  />
                </Table.Td>
                <Table.Td className="numeric">{formatOctets(one.sent_bytes)}</Table.Td>
                <Table.Td className="numeric">{formatOctets(one.received_bytes)}</Table.Td>
                <Table.Td className="numeric">{groupThousands(one.packets)}</Table.Td>
                <Table.Td className="numeric">{formatInstant(one.began_ns)}</Table.Td>
                <Table.Td className="numeric">{formatTime(one.duration_ns)}</Table.Td>
                {both && <Table.Td>{one.in_second === true ? 'yes' : 'no'}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {total > connections.length && (
        <Text size="sm" c="dimmed">
          These {groupThousands(connections.length)} of {groupThousands(total)} have the most data.
        </Text>
      )}
    </>
  );
}

/** `192.0.2.1:80 → 192.0.2.2:40001`: from who sent more. */
export const endsOf = ({ data_sender, data_receiver }: Pick<Listed, 'data_sender' | 'data_receiver'>) =>
  `${data_sender} → ${data_receiver}`;
