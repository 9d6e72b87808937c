import { Switch, Table, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';

import { formatMetric, metricLabel, metricOf, metricTitle, type Metric } from '../../lib/metrics';
import { spreadInWords } from '../../lib/spread';
import { Section } from '../../ui/section';
import { useAddress } from '../../ui/use-address';
import { WideTable } from '../../ui/wide-table';
import { metricsOf, sortedBy } from './summary';
import type { TitledCell } from './titled';

/** Median and middle half of each metric by variant; `sort` and `metrics` in the address say how. */
export function SummaryTable({ cells }: { readonly cells: readonly TitledCell[] }) {
  const { params, change } = useAddress();
  const all = params.get('metrics') === 'all';
  const names = metricsOf(cells, all);
  const asked = params.get('sort');
  const sort = asked !== null && names.includes(asked) ? asked : null;
  return (
    <Section title="Summary">
      <Text size="sm" c="dimmed" maw="80ch">
        Measured: the median over the runs, and below it the middle half of them, from the first quartile to
        the third. Choose a column’s head to sort by it; it says what is counted.
      </Text>
      <WideTable label="Summary by variant" minWidth={220 + 104 * names.length}>
        <Table aria-label="Summary by variant" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Variant</Table.Th>
              <Table.Th scope="col" className="numeric">
                Runs
              </Table.Th>
              {names.map((name) => (
                <Head
                  key={name}
                  metric={metricOf(name)}
                  sorted={name === sort}
                  onSort={() => {
                    change({ sort: name === sort ? null : name }, 'push');
                  }}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sortedBy(cells, sort).map((cell) => (
              <Table.Tr key={`${cell.testbed} ${cell.link} ${cell.variant}`}>
                <Table.Th scope="row" fw={500} miw={150}>
                  {cell.title}
                  {cell.detail !== '' && (
                    <Text size="xs" c="dimmed">
                      {cell.detail}
                    </Text>
                  )}
                </Table.Th>
                <Table.Td className="numeric">
                  {cell.runs}
                  {(cell.invalid ?? 0) > 0 && (
                    <Text size="xs" style={{ whiteSpace: 'nowrap' }}>
                      +{cell.invalid} invalid
                    </Text>
                  )}
                </Table.Td>
                {names.map((name) => (
                  <Value key={name} cell={cell} metric={metricOf(name)} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Switch
        label="All metrics"
        checked={all}
        onChange={(event) => {
          change({ metrics: event.currentTarget.checked ? 'all' : null }, 'push');
        }}
      />
    </Section>
  );
}

interface HeadProps {
  readonly metric: Metric;
  readonly sorted: boolean;
  readonly onSort: () => void;
}

function Head({ metric, sorted, onSort }: HeadProps) {
  const better =
    metric.better === null ? '' : ` ${metric.better === 'lower' ? 'Lower' : 'Higher'} is better.`;
  return (
    <Table.Th
      scope="col"
      className="numeric"
      style={{ verticalAlign: 'bottom' }}
      aria-sort={sorted ? 'ascending' : 'none'}
    >
      <Tooltip
        label={`${metric.definition}${better}`}
        multiline
        w={300}
        events={{ hover: true, focus: true, touch: true }}
      >
        <UnstyledButton onClick={onSort} ta="right" fz="sm" fw={600}>
          {metricTitle(metric)}
          {sorted && <IconArrowDown size={12} aria-hidden />}
        </UnstyledButton>
      </Tooltip>
    </Table.Th>
  );
}

function Value({ cell, metric }: { readonly cell: TitledCell; readonly metric: Metric }) {
  const spread = cell.metrics.get(metric.name);
  if (!spread)
    return (
      <Table.Td className="numeric" c="dimmed" title="Not measured in any run of it">
        –
      </Table.Td>
    );
  const say = (value: number) => formatMetric(value, metric);
  return (
    <Table.Td className="numeric" title={`${metricLabel(metric)}: ${spreadInWords(spread, say)}`}>
      {say(spread.median)}
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {say(spread.q1)} – {say(spread.q3)}
      </Text>
    </Table.Td>
  );
}
