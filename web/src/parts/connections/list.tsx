import { Radio } from '@mantine/core';
import { useId } from 'react';

import type { Schema } from '../../api/client';
import { formatInstant, formatOctets, formatTime, groupThousands } from '../../lib/format';
import { Muted } from '../../ui/text';
import { Row, WideTable, numeric } from '../../ui/table';

type Listed = Schema<'ListedConnection'>;

interface Props {
  readonly list: Schema<'ConnectionList'>;
  readonly chosen: number | null;
  readonly onChoose: (number: number) => void;
}

/** The connections of a capture, one of which is chosen. */
export function ConnectionList({ list, chosen, onChoose }: Props) {
  const name = useId();
  const { connections, total } = list;
  const both = connections.some(({ in_second }) => in_second !== null);
  return (
    <>
      <WideTable
        label="Connections"
        minWidth={640}
        maxHeight={360}
        verticalSpacing={4}
        highlightOnHover
        aria-label="Connections with data"
        heads={[
          'Connection',
          numeric('Sent'),
          numeric('Received'),
          numeric('Packets'),
          numeric('Began'),
          numeric('Duration'),
          both && 'Both ends',
        ]}
      >
        {connections.map((one) => (
          <Row
            key={one.number}
            cells={[
              <Radio
                name={name}
                size="xs"
                label={endsOf(one)}
                checked={one.number === chosen}
                onChange={() => onChoose(one.number)}
              />,
              numeric(formatOctets(one.sent_bytes)),
              numeric(formatOctets(one.received_bytes)),
              numeric(groupThousands(one.packets)),
              numeric(formatInstant(one.began_ns)),
              numeric(formatTime(one.duration_ns)),
              both && (one.in_second === true ? 'yes' : 'no'),
            ]}
          />
        ))}
      </WideTable>
      {total > connections.length && (
        <Muted>
          These {groupThousands(connections.length)} of {groupThousands(total)} have the most data.
        </Muted>
      )}
    </>
  );
}

/** An address that a qlog file does not say. */
const UNSAID = '0.0.0.0:0';

/** `192.0.2.1:80 → 192.0.2.2:40001`: from who sent more. */
export const endsOf = ({ data_sender, data_receiver }: Pick<Listed, 'data_sender' | 'data_receiver'>) =>
  data_sender === UNSAID ? 'addresses not logged' : `${data_sender} → ${data_receiver}`;
