import { Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { Checks, Statements as List } from '../../results/statements';
import { Section } from '../../ui/section';
import { DEPENDS, MEANING } from './tally';

interface Props {
  readonly statements: readonly Schema<'StatementTold'>[];
  readonly additions: readonly Schema<'OwnAdditionTold'>[];
}

/** What the paper states, each with its grade, its checks, and the published numbers beside ours. */
export function Statements({ statements, additions }: Props) {
  return (
    <Section title="What the paper states">
      <Text size="sm" maw="80ch">
        {DEPENDS} Numbers are ratios of two variants, or values of one, with the 95 % interval of ours.
      </Text>
      <List statements={statements.map(withEnds)} meaning={(grade) => MEANING[grade]} />
      <Checks
        checks={additions.map(({ check, why }) => ({ ...check, note: why }))}
        title={`Our own additions, which the paper does not state and the grades leave out (${additions.length})`}
      />
    </Section>
  );
}

/** A statement with its intervals as the report has them. */
function withEnds(statement: Schema<'StatementTold'>) {
  return {
    ...statement,
    numbers: statement.numbers.map(({ interval, ...number }) => ({
      ...number,
      interval: interval && ([interval.low, interval.high] as const),
    })),
  };
}
