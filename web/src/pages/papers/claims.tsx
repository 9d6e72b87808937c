import { Table, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconClock, IconX, type Icon } from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { SignBadge } from '../../ui/sign-badge';
import { WideTable } from '../../ui/wide-table';

type Claim = Schema<'ClaimTold'>;

/** A status differs in word and icon, not in colour alone. */
const LOOKS: Record<Claim['status'], { readonly color: string; readonly icon: Icon }> = {
  reproduced: { color: 'teal', icon: IconCheck },
  'not reproduced': { color: 'red', icon: IconX },
  'cannot be decided': { color: 'yellow', icon: IconAlertTriangle },
  'not run': { color: 'gray', icon: IconClock },
};

/** What the paper claims, and whether our runs bear it out. */
export function Claims({ title, claims }: { readonly title: string; readonly claims: readonly Claim[] }) {
  const name = `Claims: ${title}`;
  return (
    <WideTable label={name} minWidth={640}>
      <Table aria-label={name} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">The paper’s claim</Table.Th>
            <Table.Th scope="col" w={170}>
              In our runs
            </Table.Th>
            <Table.Th scope="col">Measured</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {claims.map((claim) => (
            <Line key={`${claim.id} ${claim.testbed ?? ''}`} claim={claim} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function Line({ claim }: { readonly claim: Claim }) {
  const { text, criterion, status, measured, testbed } = claim;
  const { color, icon } = LOOKS[status];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {text}
        <Text size="xs" c="dimmed">
          {criterion}
        </Text>
      </Table.Th>
      <Table.Td>
        <SignBadge color={color} sign={icon} text={status} />
      </Table.Td>
      <Table.Td>
        {measured ?? 'nothing yet'}
        {testbed !== null && (
          <Text size="xs" c="dimmed">
            {testbed}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
