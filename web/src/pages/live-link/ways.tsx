import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';

import type { Schema } from '../../api/client';
import { formatOctets, formatRate, groupThousands, plural } from '../../lib/format';
import { throughput, type Reading } from './throughput';
import { delayInWords, doesInWords, lostInWords, rateInWords } from './words';
import { Heads } from '../../ui/heads';

type Way = Schema<'EmulatorDirection'>;

interface Props {
  readonly told: Schema<'EmulatorLink'>;
  readonly readings: readonly Reading[];
}

/** Both directions side by side: how they are, and what they have carried and lost since the link stands. */
export function Ways({ told, readings }: Props) {
  const now = (way: 'down' | 'up') => {
    const bps = throughput(readings, way);
    return bps === null ? '…' : formatRate(bps);
  };
  const rows: readonly (readonly [string, (way: 'down' | 'up', of: Way) => ReactNode])[] = [
    ['It', (_, of) => <Does way={of} />],
    ['Rate', (_, of) => rateInWords(of)],
    ['Delay, one way', (_, of) => delayInWords(of)],
    ['Carries now, about', now],
    ['Carried', (_, of) => `${plural(of.packets, 'packet')}, ${formatOctets(of.octets)}`],
    ['Lost, by cause', (_, of) => lostInWords(of)],
    ['Inside', (_, of) => plural(of.inside_packets, 'packet')],
    ['Of these queued', (_, of) => `${groupThousands(of.queued_packets)}, ${formatOctets(of.queued_octets)}`],
  ];
  return (
    <Table aria-label="Both directions of the link" verticalSpacing={6} className="ways">
      <Heads of={[null, 'Down, to the client', 'Up, to the server']} />
      <Table.Tbody>
        {rows.map(([head, cell]) => (
          <Table.Tr key={head}>
            <Table.Th scope="row" fw={400}>
              {head}
            </Table.Th>
            <Table.Td>{cell('down', told.down)}</Table.Td>
            <Table.Td>{cell('up', told.up)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Does({ way }: { readonly way: Way }) {
  const delivers = !way.held && !way.dropping;
  return (
    <Text span inherit fw={600} c={delivers ? 'var(--good)' : 'var(--bad)'}>
      {doesInWords(way)}
    </Text>
  );
}
