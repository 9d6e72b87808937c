import { Code, Table, Text } from '@mantine/core';

import type { Schema } from '../../api/client';
import { formatMetric, metricOf } from '../../lib/metrics';
import { WideTable } from '../../ui/wide-table';

type Row = Schema<'RowTold'>;

interface Props {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Where the paper's numbers stand. */
  readonly published: string | null;
  /** What they are of the repetitions. */
  readonly statistic: 'median' | 'mean';
}

/** The paper's table with ours beside each of its numbers. */
export function Numbers({ title, rows, published, statistic }: Props) {
  const columns = rows[0]?.numbers ?? [];
  const testbeds = [
    ...new Set(rows.flatMap(({ numbers }) => numbers.flatMap(({ ours }) => Object.keys(ours)))),
  ];
  const name = `Numbers: ${title}`;
  return (
    <>
      <WideTable label={name} minWidth={220 + columns.length * 200}>
        <Table aria-label={name} verticalSpacing={6} withColumnBorders>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" rowSpan={2}>
                Variant
              </Table.Th>
              {columns.map(({ metric, label }) => (
                <Table.Th key={metric} scope="colgroup" colSpan={1 + Math.max(1, testbeds.length)}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
            <Table.Tr>
              {columns.flatMap(({ metric }) => [
                <Table.Th key={`${metric} paper`} scope="col" className="numeric">
                  The paper’s
                </Table.Th>,
                ...(testbeds.length === 0 ? [null] : testbeds).map((testbed) => (
                  <Table.Th key={`${metric} ${testbed ?? ''}`} scope="col" className="numeric">
                    {testbed === null ? 'Ours' : `Ours, ${testbed}`}
                  </Table.Th>
                )),
              ])}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={`${row.variant} ${row.label}`}>
                <Table.Th scope="row" fw={400}>
                  {row.label}
                  <Text size="xs" c="dimmed">
                    <Code>{row.variant}</Code>
                  </Text>
                </Table.Th>
                {row.numbers.flatMap(({ metric, published: theirs, ours, spread }) => [
                  <Table.Td key={`${metric} paper`} className="numeric" c="dimmed">
                    {theirs ?? 'not given'}
                  </Table.Td>,
                  ...(testbeds.length === 0 ? [null] : testbeds).map((testbed) => {
                    const value = testbed === null ? undefined : ours[testbed];
                    const quartiles = testbed === null ? undefined : spread[testbed];
                    const say = (one: number) => formatMetric(one, metricOf(metric));
                    return (
                      <Table.Td key={`${metric} ${testbed ?? ''}`} className="numeric">
                        {value === undefined ? 'not run' : say(value)}
                        {quartiles && (
                          <Text size="xs" c="dimmed">
                            {say(quartiles.q1)} to {say(quartiles.q3)}
                          </Text>
                        )}
                      </Table.Td>
                    );
                  }),
                ])}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Text size="xs" c="dimmed">
        {published === null ? '' : `The paper’s: ${published}. `}Ours: {statistic}s of our runs, measured,
        with their quartiles.
      </Text>
    </>
  );
}
