import { Table, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDot,
  IconClock,
  IconContrast,
  IconX,
  type Icon,
} from '@tabler/icons-react';

import type { Schema } from '../../api/client';
import { figure, moreInPercent } from '../../series/statements';
import { Section } from '../../ui/section';
import { SignBadge } from '../../ui/sign-badge';
import { WideTable } from '../../ui/wide-table';
import { DEPENDS, MEANING, type Grade } from './tally';

type Statement = Schema<'StatementTold'>;
type Check = Schema<'CheckTold'>;

/** A grade differs in word and icon, not in colour alone. */
const LOOKS: Record<Grade, { readonly color: string; readonly icon: Icon }> = {
  supported: { color: 'teal', icon: IconCheck },
  'shown by one run': { color: 'teal', icon: IconCircleDot },
  'within noise': { color: 'yellow', icon: IconAlertTriangle },
  'in part': { color: 'orange', icon: IconContrast },
  'not reproduced': { color: 'red', icon: IconX },
  'not checked': { color: 'gray', icon: IconClock },
};

interface Props {
  readonly statements: readonly Statement[];
  readonly additions: readonly Schema<'OwnAdditionTold'>[];
}

/** What the paper states, each with its grade, its checks, and the published numbers beside ours. */
export function Statements({ statements, additions }: Props) {
  return (
    <Section title="What the paper states">
      <Text size="sm" maw="80ch">
        {DEPENDS} Numbers are ratios of two variants, or values of one, with the 95 % interval of ours.
      </Text>
      <WideTable label="What the paper states" minWidth={760}>
        <Table aria-label="What the paper states" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Statement</Table.Th>
              <Table.Th scope="col" w={180}>
                In our runs
              </Table.Th>
              <Table.Th scope="col">The paper’s numbers and ours</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {statements.map((statement) => (
              <Line key={statement.id} statement={statement} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {additions.length > 0 && (
        <details>
          <Text component="summary" size="sm">
            Our own additions, which the paper does not state and which count for nothing ({additions.length})
          </Text>
          {additions.map(({ check, why }) => (
            <CheckLine key={`${check.experiment} ${check.id}`} check={check} why={why} />
          ))}
        </details>
      )}
    </Section>
  );
}

function Line({ statement }: { readonly statement: Statement }) {
  const { text, place, grade, why, checks, numbers } = statement;
  const { color, icon } = LOOKS[grade];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {text}
        <Text size="xs" c="dimmed">
          {place}
        </Text>
        {checks.length > 0 && (
          <details>
            <Text component="summary" size="xs">
              {checks.length === 1 ? 'Its check' : `Its ${checks.length} checks`}
            </Text>
            {checks.map((check) => (
              <CheckLine key={`${check.experiment} ${check.id}`} check={check} why={check.note} />
            ))}
          </details>
        )}
      </Table.Th>
      <Table.Td>
        <SignBadge color={color} sign={icon} text={grade} title={MEANING[grade]} />
        {why !== null && (
          <Text size="xs" c="dimmed">
            {why}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {numbers.map((number) => (
          <Text key={number.check + number.printed} size="sm">
            {beside(number)}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}

function CheckLine({ check, why }: { readonly check: Check; readonly why: string | null }) {
  return (
    <Text size="xs" mt={4} maw="80ch">
      {check.grade}: {check.text}. {check.criterion}
      {check.measured !== null && `; measured: ${check.measured}`}.{why !== null && ` ${why}`}
    </Text>
  );
}

/** As `31.7 % more goodput: 1.32; ours 1.21 (at least 95 %: 1.1 to 1.3), -8 %`. */
export function beside(number: Schema<'NumberBesideTold'>): string {
  const { printed, published, ours, interval, at_least: atLeast, distance } = number;
  if (ours === null) return `${printed}: ${figure(published)}; not run here`;
  const sure = interval === null ? '' : ` (${atLeast ? 'at least ' : ''}95 %: ${figure(interval.low)} to ${figure(interval.high)})`;
  const apart = distance === null ? '' : `, ${moreInPercent(distance)}`;
  return `${printed}: ${figure(published)}; ours ${figure(ours)}${sure}${apart}`;
}
